// Umpire for agents, over the Model Context Protocol on stdin and stdout. One project, that of the current folder.

import { McpServer } from '@modelcontextprotocol/server';
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { TOOLS } from './tools.js';
import type { Answer, Call, Tool } from './tools.js';

const INSTRUCTIONS = `Umpire decides whether the work of a generator and a critic is done, needs another round, or needs a person. It goes by measured evidence, not by what anybody says of the work.

1. critique measures the project with its own tools and leaves the evidence in a session folder.
2. decide judges that session. revise: do the tasks that it names, then measure and judge again. converge or accept: done. escalate: stop, and tell the person what is asked and which answers there are; only they answer, with \`umpire resolve\` or \`umpire decide --max-rounds\`.
3. guard tells what in your change makes tests lie. Mend that; never delete, skip or weaken a test to get past a verdict.`;

/** What clients show to a model is bounded: rather say where all of it is. */
const MOST_TEXT = 60_000;
const MOST_DATA = 200_000;
/** Tools are ended within seconds; what else is at work then changes nothing. */
const LAST_MS = 15_000;
/** A sign of life a second is enough. */
const PROGRESS_MS = 1000;

/** Serves until the client closes stdin, or `signal` says so; resolves when what was at work then has ended. */
export async function serve(version: string, signal: AbortSignal): Promise<void> {
  const atWork = new Set<Promise<unknown>>();
  // stdout is the client's: what could not be read, or was too long, is said to who keeps its log.
  const onerror = ({ message }: Error): void => void process.stderr.write(`umpire: ${message}\n`);
  const handle = serveStdio(() => serverFor(version, atWork), { onerror });
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await handle.close();
  let cancel: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    cancel = setTimeout(resolve, LAST_MS);
  });
  await Promise.race([Promise.allSettled(atWork), late]);
  clearTimeout(cancel);
}

function serverFor(version: string, atWork: Set<Promise<unknown>>): McpServer {
  const server = new McpServer({ name: 'umpire', title: 'Umpire', version }, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) {
    const { name, title, description, input, isReading } = tool;
    const annotations = { title, readOnlyHint: isReading, destructiveHint: false, idempotentHint: isReading, openWorldHint: false };
    server.registerTool(name, { title, description, inputSchema: input, annotations }, async (given, context) => {
      const answered = answer(tool, given, callOf(context));
      atWork.add(answered);
      return answered.finally(() => atWork.delete(answered));
    });
  }
  return server;
}

function callOf({ mcpReq }: ServerContext): Call {
  const { _meta: meta } = mcpReq;
  const token = meta?.progressToken;
  let last = -PROGRESS_MS;
  let progress = 0;
  const onProgress = (words?: string): void => {
    const now = performance.now();
    if (token === undefined || mcpReq.signal.aborted || (words === undefined && now - last < PROGRESS_MS)) return;
    last = now;
    progress += 1;
    const params = { progressToken: token, progress, ...(words === undefined ? {} : { message: words }) };
    // Who has gone away needs no sign of life.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  return { signal: mcpReq.signal, onProgress };
}

/** An error is an answer, too: with what to do. */
async function answer(tool: Tool, given: Readonly<Record<string, unknown>>, call: Call): Promise<CallToolResult> {
  try {
    return resultOf(tool.name, await tool.run(given, call));
  } catch (error) {
    const known = isUmpireError(error)
      ? error
      : new UmpireError('internal', { detail: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    const { code, message, hint } = known;
    return {
      content: [{ type: 'text', text: `${message}\n${hint}` }],
      structuredContent: { error: { code, message, hint } },
      isError: true,
    };
  }
}

function resultOf(name: string, { text, data }: Answer): CallToolResult {
  const json = data === undefined ? null : JSON.stringify(data);
  const isWhole = json === null || json.length <= MOST_DATA;
  const lines = [
    text.length <= MOST_TEXT
      ? text
      : `${text.slice(0, MOST_TEXT)}\n\n(${text.length - MOST_TEXT} characters more: see \`umpire ${name}\`.)`,
    ...(isWhole ? [] : [`(The object is too long for here: see \`umpire ${name} --json\`.)`]),
  ];
  const content = [{ type: 'text' as const, text: lines.join('\n') }];
  return json === null || !isWhole ? { content } : { content, structuredContent: JSON.parse(json) as Record<string, unknown> };
}
