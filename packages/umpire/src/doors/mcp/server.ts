// The MCP server on stdin and stdout, for the project of the current folder.

import { Transform } from 'node:stream';
import { McpServer } from '@modelcontextprotocol/server';
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { lineOf, showHidden, showHiddenIn } from '../../views/safe-text.js';
import { TOOLS } from './tools.js';
import type { ToolResult, ToolCall, Tool } from './tools.js';

const INSTRUCTIONS = `Umpire decides whether the work of a generator and a critic is done, needs another round, or needs a person. It uses measured evidence, not claims.

1. critique measures the project with its own tools and leaves the evidence in a session folder.
2. decide judges that session. revise: do the tasks it names, then measure and judge again. converge or accept: done. escalate: stop, and show the person the question and the possible answers; only a person may answer, with \`umpire resolve\` or \`umpire decide --max-rounds\`.
3. guard finds skipped, weakened or deleted tests in your change. Fix its breaches and report its notes; never delete, skip or weaken a test to pass a verdict.`;

/** Clients limit the text for a model, so longer results name the command that prints all. */
const MOST_TEXT_CHARACTERS = 60_000;
const MOST_JSON_CHARACTERS = 200_000;
/** An error may quote what the client sent. */
const MOST_ERROR_CHARACTERS = 500;
/** The longest request names 100 reports. */
const MOST_LINE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;
/** Time for running tools to end after the client has gone. */
const SHUTDOWN_MS = 15_000;
/** Least time between progress messages. */
const PROGRESS_MS = 1000;

/** Serves until the client closes stdin or `signal` is aborted; resolves when running tools have ended. */
export async function serve(version: string, signal: AbortSignal): Promise<void> {
  const atWork = new Set<Promise<unknown>>();
  // stdout belongs to the protocol, so errors go to stderr.
  const onerror = ({ message }: Error): void => void process.stderr.write(`umpire: ${lineOf(message, MOST_ERROR_CHARACTERS)}\n`);
  const lines = process.stdin.pipe(limitLines(onerror));
  const handle = serveStdio(
    () => {
      const server = new McpServer({ name: 'umpire', title: 'Umpire', version }, { instructions: INSTRUCTIONS });
      for (const tool of TOOLS) {
        const { name, title, description, input, isReading } = tool;
        const annotations = { title, readOnlyHint: isReading, destructiveHint: false, idempotentHint: isReading, openWorldHint: false };
        server.registerTool(name, { title, description, inputSchema: input, annotations }, async (given, context) => {
          const answered = callTool(tool, given, callOf(context));
          atWork.add(answered);
          return answered.finally(() => atWork.delete(answered));
        });
      }
      return server;
    },
    { onerror, transport: new StdioServerTransport(lines) },
  );
  await new Promise<void>((resolve) => {
    lines.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await handle.close();
  let cancel: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    cancel = setTimeout(resolve, SHUTDOWN_MS);
  });
  await Promise.race([Promise.allSettled(atWork), late]);
  clearTimeout(cancel);
}

/** Passes whole lines on. Leaves out a longer one than any request needs: the SDK would end the connection. */
function limitLines(onError: (error: Error) => void): Transform {
  let held: Buffer[] = [];
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      for (let from = 0; from < chunk.length;) {
        const end = chunk.indexOf(NEWLINE, from) + 1;
        const part = chunk.subarray(from, end === 0 ? chunk.length : end);
        from += part.length;
        length += part.length;
        if (length <= MOST_LINE_BYTES) held.push(part);
        else held = [];
        if (end === 0) continue;
        if (length <= MOST_LINE_BYTES) this.push(Buffer.concat(held));
        else onError(new Error(`Left out a message of ${length} bytes. The limit is ${MOST_LINE_BYTES}.`));
        held = [];
        length = 0;
      }
      done();
    },
  });
}

function callOf({ mcpReq }: ServerContext): ToolCall {
  const { _meta: meta } = mcpReq;
  const token = meta?.progressToken;
  let last = -PROGRESS_MS;
  let progress = 0;
  const onProgress = (message?: string): void => {
    const now = performance.now();
    if (token === undefined || mcpReq.signal.aborted || (message === undefined && now - last < PROGRESS_MS)) return;
    last = now;
    progress += 1;
    const params = { progressToken: token, progress, ...(message === undefined ? {} : { message: showHidden(message) }) };
    // The client may have disconnected.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  return { signal: mcpReq.signal, onProgress };
}

/** Returns an error as a result with a hint, so that the agent can act on it. */
async function callTool(tool: Tool, given: Readonly<Record<string, unknown>>, call: ToolCall): Promise<CallToolResult> {
  try {
    return resultOf(tool.name, await tool.run(given, call));
  } catch (error) {
    const known = isUmpireError(error)
      ? error
      : new UmpireError('internal', { detail: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    const { code, message, hint } = known;
    return {
      content: [{ type: 'text', text: showHidden(`${message}\n${hint}`) }],
      structuredContent: showHiddenIn({ error: { code, message, hint } }),
      isError: true,
    };
  }
}

/** Without hidden characters: a model would read and follow what the person cannot see. */
function resultOf(name: string, { text: given, data }: ToolResult): CallToolResult {
  const text = showHidden(given);
  const json = data === undefined ? null : JSON.stringify(showHiddenIn(data));
  const isWhole = json === null || json.length <= MOST_JSON_CHARACTERS;
  const lines = [
    text.length <= MOST_TEXT_CHARACTERS
      ? text
      : `${text.slice(0, MOST_TEXT_CHARACTERS)}\n\n(${text.length - MOST_TEXT_CHARACTERS} more characters: run \`umpire ${name}\`.)`,
    ...(isWhole ? [] : [`(The JSON object is too long: run \`umpire ${name} --json\`.)`]),
  ];
  const content = [{ type: 'text' as const, text: lines.join('\n') }];
  return json === null || !isWhole ? { content } : { content, structuredContent: JSON.parse(json) as Record<string, unknown> };
}
