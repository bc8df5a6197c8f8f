// An agent over ACP, built on the protocol's own library, so that Umpire's side is held against somebody else's. What it plays is its
// first argument; what it is asked and answered lies afterwards in `seen.json` of its working folder.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk/unstable';

const [play = 'file', detail = ''] = process.argv.slice(2);
const { UMPIRE_RESULT_FILE = '', UMPIRE_TASK_FILE, UMPIRE_SESSION } = process.env;
const RESULT = { status: 'completed', findings: 'done' };
const SESSION = 'session-1';

const seen = { asked: [], answers: [], cancelled: false, places: [UMPIRE_SESSION, UMPIRE_TASK_FILE, UMPIRE_RESULT_FILE] };
const note = () => writeFileSync(join(process.cwd(), 'seen.json'), JSON.stringify(seen));
const handIn = (result = RESULT) => writeFileSync(UMPIRE_RESULT_FILE, JSON.stringify(result));

let wake = () => undefined;
const cancelled = new Promise((resolve) => (wake = resolve));

/** What it may do in its turn. */
function handsOf(client) {
  const update = (one) => client.notify(acp.methods.client.session.update, { sessionId: SESSION, update: one });
  return {
    update,
    say: (text, messageId) =>
      update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...(messageId === undefined ? {} : { messageId }) }),
    tool: (toolCallId, rest) => update({ sessionUpdate: 'tool_call', toolCallId, title: 'a tool', ...rest }),
    toolUpdate: (toolCallId, rest) => update({ sessionUpdate: 'tool_call_update', toolCallId, ...rest }),
    ask: async (toolCall, kinds = ['allow_always', 'allow_once', 'reject_once']) => {
      const options = kinds.map((kind) => ({ kind, optionId: `the-${kind}`, name: kind }));
      const { outcome } = await client.request(acp.methods.client.session.requestPermission, { sessionId: SESSION, toolCall, options });
      seen.answers.push(outcome.optionId ?? outcome.outcome);
      note();
    },
  };
}

const END = { stopReason: 'end_turn' };

const TURNS = {
  async file({ say, tool, toolUpdate, ask, update }) {
    await update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm.' } });
    await say('I look ');
    await say('at it.');
    const path = join(process.cwd(), 'new.txt');
    await tool('t1', { title: 'Write', kind: 'edit', status: 'pending' });
    await toolUpdate('t1', { title: 'Write new.txt', locations: [{ path }] });
    await ask({ toolCallId: 't1' });
    writeFileSync(path, 'new\n');
    await toolUpdate('t1', { status: 'completed' });
    await update({ sessionUpdate: 'usage_update', used: 700, size: 1000, cost: { amount: 0.25, currency: 'USD' } });
    handIn();
    await say('Done.');
    return { ...END, usage: { totalTokens: 900, inputTokens: 800, outputTokens: 100 } };
  },
  async answer({ say, tool, toolUpdate, update }) {
    await say('It is {"status":"failed"} so far.', 'm1');
    await tool('t1', { kind: 'execute', title: 'npm test', status: 'in_progress' });
    await toolUpdate('t1', { status: 'failed', content: [{ type: 'content', content: { type: 'text', text: 'it was refused' } }] });
    for (const piece of ['{"status":"comp', 'leted","find', 'ings":"do']) await say(piece, 'm2');
    await update({ sessionUpdate: 'usage_update', used: 700, size: 1000 });
    await say('ne"}', 'm2');
    await say('Done.', 'm3');
    return END;
  },
  async result({ say }) {
    await say(detail);
    return END;
  },
  /** Asks for each of these in turn, then hands in. */
  async asks({ ask }) {
    for (const { kinds, ...call } of JSON.parse(detail)) await ask({ toolCallId: 't', ...call }, kinds);
    handIn();
    return END;
  },
  /** Is kept from what it needs, and gives up. */
  async kept({ ask, say }) {
    await ask({ toolCallId: 't', kind: 'execute', title: 'npm test' });
    await say('I may not.');
    return END;
  },
  async stop() {
    if (detail === 'max_tokens') handIn();
    return { stopReason: detail };
  },
  async die() {
    process.stderr.write('out of luck\n');
    process.exit(Number(detail));
  },
  async error() {
    throw new acp.RequestError(-32603, 'Internal error', { details: 'the key is wrong' });
  },
  async signIn() {
    throw acp.RequestError.authRequired();
  },
  /** Much that is no message of the protocol, or none that anybody asked for. */
  async noise({ say }, client) {
    const print = (text) => process.stdout.write(`${text}\n`);
    for (const text of ['hello', '', '{"jsonrpc":"2.0","id":2,"resu', '{"a":1}', '[1]', 'null', `{"x":${'['.repeat(5000)}`]) print(text);
    print('{"jsonrpc":"2.0","id":99,"result":{}}');
    print('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"?"}}');
    print('{"jsonrpc":"2.0","method":"_mine/told","params":5}');
    for (const method of ['fs/read_text_file', '_mine/ask']) {
      await client.request(method, { sessionId: SESSION, path: '/etc/passwd' }).catch(({ code }) => seen.answers.push(code));
    }
    note();
    await say(JSON.stringify(RESULT));
    // What another session says is nobody's answer.
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: '{"status":"failed"}' } };
    print(JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'another', update } }));
    return END;
  },
  /** Goes on until it is told to stop; then asks once more, and says so. */
  async long({ ask }) {
    note();
    await cancelled;
    seen.cancelled = true;
    await ask({ toolCallId: 't', kind: 'edit', locations: [{ path: join(process.cwd(), 'a') }] });
    return { stopReason: 'cancelled', usage: { totalTokens: 5, inputTokens: 5, outputTokens: 0 } };
  },
  /** Hands in when it is told to stop. */
  async late() {
    note();
    await cancelled;
    handIn();
    return END;
  },
  /** Neither it nor the process that it started listens to anybody. */
  async deaf() {
    process.on('SIGTERM', () => undefined);
    spawn('/bin/sh', ['-c', `trap '' TERM; echo $$ > ${detail}/member; while :; do sleep 0.1; done`], { stdio: 'ignore' });
    writeFileSync(join(detail, 'main'), String(process.pid));
    await new Promise(() => setInterval(() => undefined, 1000));
  },
  /** Has done its task, and stays. */
  async stays() {
    process.on('SIGTERM', () => {
      writeFileSync(join(process.cwd(), 'asked-to-go'), '');
      process.exit(1);
    });
    setInterval(() => undefined, 1000);
    handIn();
    return END;
  },
};

const agent = acp
  .agent({ name: 'test-agent' })
  .onRequest(acp.methods.agent.initialize, ({ params }) => {
    seen.asked.push(params);
    return {
      protocolVersion: play === 'version' ? 2 : acp.PROTOCOL_VERSION,
      agentCapabilities: { sessionCapabilities: detail === 'folders' ? { additionalDirectories: {} } : {} },
      authMethods: [{ id: 'a', name: 'Log in' }],
    };
  })
  .onRequest(acp.methods.agent.session.new, ({ params }) => {
    seen.asked.push(params);
    note();
    if (play === 'locked') throw acp.RequestError.authRequired();
    return { sessionId: SESSION };
  })
  .onNotification(acp.methods.agent.session.cancel, () => wake())
  .onRequest(acp.methods.agent.session.prompt, ({ params, client }) => {
    seen.asked.push(params);
    note();
    return TURNS[play](handsOf(client), client);
  });

agent.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
