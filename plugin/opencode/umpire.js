// Umpire in opencode: the guard and the check of `umpire until --here` when a session becomes idle, and a look at tools before they run.
// `umpire init --hooks opencode` writes this file.

import { spawn } from 'node:child_process';

const UMPIRE = ['umpire'];
const WRITING = new Set(['edit', 'write', 'multiedit', 'patch', 'apply_patch', 'bash']);
const REFUSED = 2;

/** Answers with the exit status and both streams. Umpire missing or broken never stops an agent. */
function call(event, cwd, more) {
  return new Promise((resolve) => {
    const [program, ...args] = UMPIRE;
    const child = spawn(program, [...args, 'hook', event], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    child.stdin.on('error', () => undefined);
    child.on('error', () => resolve({ status: 1, out, err }));
    child.on('close', (status) => resolve({ status, out, err }));
    child.stdin.end(JSON.stringify({ hook_event_name: event, cwd, ...more }));
  });
}

function messageIn(out) {
  try {
    return JSON.parse(out).systemMessage;
  } catch {
    return undefined;
  }
}

export const Umpire = async ({ client, directory }) => {
  const sentBack = new Set();

  async function lastMessage(id) {
    const { data = [] } = await client.session.messages({ path: { id } });
    const last = data.findLast(({ info }) => info.role === 'assistant');
    return (last?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  }

  async function stop(id) {
    const { data: session } = await client.session.get({ path: { id } });
    // A subagent's session ends within its parent's turn.
    if (session?.parentID) return;
    const more = { session_id: id, stop_hook_active: sentBack.has(id), last_assistant_message: await lastMessage(id) };
    const { status, out, err } = await call('Stop', directory, more);
    if (status === REFUSED) {
      sentBack.add(id);
      await client.session.promptAsync({ path: { id }, body: { parts: [{ type: 'text', text: err }] } });
      return;
    }
    sentBack.delete(id);
    const message = messageIn(out);
    if (message !== undefined) await client.tui.showToast({ body: { title: 'Umpire', message, variant: 'info', duration: 30_000 } });
  }

  return {
    event: async ({ event }) => {
      if (event.type === 'session.created') await call('SessionStart', directory, { session_id: event.properties.info.id });
      if (event.type === 'session.idle') await stop(event.properties.sessionID);
    },
    'tool.execute.before': async ({ tool }, { args }) => {
      if (!WRITING.has(tool)) return;
      const { status, err } = await call('PreToolUse', directory, { tool_name: tool, tool_input: args });
      if (status === REFUSED) throw new Error(err);
    },
  };
};
