// A model server on loopback that plays along: it speaks to each coding agent in that agent's own protocol, and asks it for two things,
// a file in its working folder and a result. What it plays: `file` (the result goes into the result file), `answer` (the result is
// its last answer), `refuse` (the key is wrong), `hang` (it never answers).

import { createServer } from 'node:http';

/** Told in the prompt, in Umpire's words. */
const WORKDIR = /Your working folder is `+([^`]+)`/;
const RESULT = /UMPIRE_RESULT_FILE \(`+([^`]+)`/;
const TASK = /^id: (\S+)/m;

const TOKENS = { input: 1000, output: 50 };

/** What the model wants next: `{path, content}` to be written, or `{text}` to be said. */
function nextMove(play, told, done) {
  const [workdir, result, id] = [WORKDIR, RESULT, TASK].map((pattern) => pattern.exec(told)?.[1]);
  // Agents also ask for titles and the like.
  if (workdir === undefined) return { text: 'A title' };
  const object = JSON.stringify({ id, status: 'completed', findings: 'made fixed.txt' });
  if (done === 0) return { path: `${workdir}/fixed.txt`, content: 'fixed\n' };
  if (done === 1 && play === 'file') return { path: result, content: object };
  return { text: play === 'file' ? 'Done.' : `I made it.\n\`\`\`json\n${object}\n\`\`\`` };
}

const textOf = (value) =>
  JSON.stringify(value)
    .replaceAll(String.raw`\n`, '\n')
    .replaceAll(String.raw`\"`, '"');
const many = (value) => (Array.isArray(value) ? value : []);

function messages(play, { messages: said, model, tools, stream }) {
  const done = many(said)
    .flatMap(({ content }) => many(content))
    .filter(({ type }) => type === 'tool_result').length;
  const move = many(tools).some(({ name }) => name === 'Write') ? nextMove(play, textOf(said), done) : { text: 'A title' };
  const input = { file_path: move.path, content: move.content };
  const block =
    move.text === undefined ? { type: 'tool_use', id: `toolu_${done}`, name: 'Write', input } : { type: 'text', text: move.text };
  const stop_reason = move.text === undefined ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: TOKENS.input, output_tokens: TOKENS.output };
  const message = { id: `msg_${done}`, type: 'message', role: 'assistant', model, stop_sequence: null };
  if (stream !== true) return { json: { ...message, content: [block], stop_reason, usage } };
  const delta =
    move.text === undefined ? { type: 'input_json_delta', partial_json: JSON.stringify(input) } : { type: 'text_delta', text: move.text };
  const start = move.text === undefined ? { ...block, input: {} } : { ...block, text: '' };
  const begun = { ...message, content: [], stop_reason: null, usage: { input_tokens: TOKENS.input, output_tokens: 1 } };
  const events = [
    { type: 'message_start', message: begun },
    { type: 'content_block_start', index: 0, content_block: start },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: TOKENS.output } },
    { type: 'message_stop' },
  ];
  return { events: events.map((event) => ({ name: event.type, data: event })) };
}

function responses(play, { input, model }) {
  const done = many(input).filter(({ type }) => type === 'function_call_output').length;
  const move = nextMove(play, textOf(input), done);
  const cmd = `printf '%s' '${move.content}' > '${move.path}'`;
  const item =
    move.text === undefined
      ? { type: 'function_call', id: `fc_${done}`, call_id: `call_${done}`, name: 'exec_command', arguments: JSON.stringify({ cmd }) }
      : { type: 'message', id: `m_${done}`, role: 'assistant', content: [{ type: 'output_text', text: move.text, annotations: [] }] };
  const usage = { input_tokens: TOKENS.input, output_tokens: TOKENS.output, total_tokens: TOKENS.input + TOKENS.output };
  const response = { id: `resp_${done}`, object: 'response', model, output: [item], usage };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...response, status: 'completed' } },
  ];
  return { events: events.map((event) => ({ name: event.type, data: event })) };
}

function generateContent(play, { contents, tools }, url) {
  const done = many(contents)
    .flatMap(({ parts }) => many(parts))
    .filter(({ functionResponse }) => functionResponse !== undefined).length;
  const canWrite = many(tools)
    .flatMap(({ functionDeclarations }) => many(functionDeclarations))
    .some(({ name }) => name === 'write_file');
  // Without tools it is asked which model suits the task.
  const choice = { model_choice: 'flash', reasoning: 'any', complexity_reasoning: 'any', complexity_score: 1 };
  const move = canWrite ? nextMove(play, textOf(contents), done) : { text: JSON.stringify(choice) };
  const part =
    move.text === undefined
      ? { functionCall: { name: 'write_file', args: { file_path: move.path, content: move.content } } }
      : { text: move.text };
  const usageMetadata = {
    promptTokenCount: TOKENS.input,
    candidatesTokenCount: TOKENS.output,
    totalTokenCount: TOKENS.input + TOKENS.output,
  };
  const data = { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }], usageMetadata };
  return url.includes('stream') ? { events: [{ data }] } : { json: data };
}

function chatCompletions(play, { messages: said, tools, model }) {
  const done = many(said).filter(({ role }) => role === 'tool').length;
  const canWrite = many(tools).some((tool) => tool.function?.name === 'write');
  const move = canWrite ? nextMove(play, textOf(said), done) : { text: 'A title' };
  const call = { name: 'write', arguments: JSON.stringify({ filePath: move.path, content: move.content }) };
  const delta =
    move.text === undefined
      ? { role: 'assistant', tool_calls: [{ index: 0, id: `call_${done}`, type: 'function', function: call }] }
      : { role: 'assistant', content: move.text };
  const chunk = { id: `chat_${done}`, object: 'chat.completion.chunk', created: 1, model };
  const finish_reason = move.text === undefined ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: TOKENS.input, completion_tokens: TOKENS.output, total_tokens: TOKENS.input + TOKENS.output };
  return {
    events: [
      { data: { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] } },
      { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage } },
      { data: '[DONE]' },
    ],
  };
}

const PROTOCOLS = [
  [/\/v1\/messages\/count_tokens/, () => ({ json: { input_tokens: TOKENS.input } })],
  [/\/v1\/messages/, messages],
  [/\/responses$/, responses],
  [/generateContent/i, generateContent],
  [/\/chat\/completions$/, chatCompletions],
];

const REFUSED = {
  type: 'error',
  error: { type: 'authentication_error', message: 'the key is wrong', code: 401, status: 'UNAUTHENTICATED' },
};

function answer(response, { json, events }, status = 200) {
  response.writeHead(status, { 'content-type': json === undefined ? 'text/event-stream' : 'application/json' });
  const print = ({ name, data }) =>
    `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  response.end(json === undefined ? events.map(print).join('') : JSON.stringify(json));
}

/** Resolves with its port and how to close it. */
export function startModel(play) {
  const server = createServer((request, response) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      if (play === 'hang') return;
      const { url = '' } = request;
      const speak = PROTOCOLS.find(([path]) => path.test(url))?.[1] ?? (() => ({ json: { data: [], models: [] } }));
      if (play === 'refuse') answer(response, { json: REFUSED }, 401);
      else answer(response, speak(play, JSON.parse(Buffer.concat(pieces).toString('utf8') || '{}'), url));
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({
        port: server.address().port,
        close: () => {
          server.closeAllConnections();
          server.close();
        },
      }),
    );
  });
}
