// A model server on loopback that plays a script of moves. It speaks to each coding agent in the protocol of its provider and uses the
// agent's own tools. Every answer charges other amounts, so that a sum tells which answers are in it. Requests are kept for the checks.

import { createServer } from 'node:http';

const many = (value) => (Array.isArray(value) ? value : []);

/**
 * Moves, one for each request of the agent's main conversation. The last one repeats.
 * `id` is the id of a tool call: a later request that contains it continues the same conversation.
 */
export const move = {
  read: (path) => ({ kind: 'read', path }),
  edit: (path, from, to) => ({ kind: 'edit', path, from, to }),
  shell: (command) => ({ kind: 'shell', command }),
  say: (text) => ({ kind: 'say', text }),
  /** By the agent's schema if it has one, else as JSON in the text. */
  result: (fields) => ({ kind: 'result', fields }),
  /** An answer of FAILURES. `resetsAt`: it lasts until this time. */
  fail: (name, details = {}) => ({ kind: 'fail', name, details }),
  /** The connection breaks in the middle of the answer. */
  cut: { kind: 'cut' },
  /** No answer comes. */
  hang: { kind: 'hang' },
};

/** What the answer to request number n charges. `cached` and `thought` are part of input and output. */
function chargeOf(n) {
  return { input: 1000 + 17 * n, output: 100 + 3 * n, cached: 200 + n, thought: 10 + n };
}

const MESSAGES = {
  path: /\/v1\/messages/,
  // After a turn, Claude Code may ask in the same conversation what the person could type next.
  isMain: ({ tools, messages }) =>
    many(tools).some(({ name }) => name === 'Read') && !JSON.stringify(messages.at(-1).content).includes('[SUGGESTION MODE'),
  schema: ({ tools, output_config }) =>
    many(tools).find(({ name }) => name === 'StructuredOutput')?.input_schema ?? output_config?.format?.schema,
  outputs: ({ messages }) => contents(messages).filter(({ type }) => type === 'tool_result'),
  tools: {
    read: ({ path }) => ['Read', { file_path: path }],
    edit: ({ path, from, to }) => ['Edit', { file_path: path, old_string: from, new_string: to }],
    shell: ({ command }) => ['Bash', { command, description: 'Run a command' }],
    structured: (object, { tools }) => (many(tools).some(({ name }) => name === 'StructuredOutput') ? ['StructuredOutput', object] : null),
  },
  error: ({ type, message }) => ({ type: 'error', error: { type, message } }),
  answer({ text, call, id }, { input, output, cached }, { model, stream }) {
    const usage = { input_tokens: input - cached, output_tokens: output, cache_read_input_tokens: cached, cache_creation_input_tokens: 0 };
    const block = call === undefined ? { type: 'text', text } : { type: 'tool_use', id, name: call[0], input: call[1] };
    const stop_reason = call === undefined ? 'end_turn' : 'tool_use';
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null };
    if (stream !== true) return { json: { ...message, content: [block], stop_reason, usage } };
    const delta = call === undefined ? { type: 'text_delta', text } : { type: 'input_json_delta', partial_json: JSON.stringify(call[1]) };
    const start = call === undefined ? { ...block, text: '' } : { ...block, input: {} };
    return named([
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ]);
  },
};

const RESPONSES = {
  path: /\/responses$/,
  isMain: ({ tools }) => many(tools).some(({ name }) => name === 'exec_command'),
  schema: ({ text }) => text?.format?.schema,
  outputs: ({ input }) => many(input).filter(({ type }) => type === 'function_call_output'),
  tools: {
    read: ({ path }) => ['exec_command', { cmd: `cat ${path}` }],
    edit: ({ path, from, to }) => [
      'exec_command',
      { cmd: `printf '%s' "$(cat ${path})" | sed 's/${from}/${to}/' > .new && mv .new ${path}` },
    ],
    shell: ({ command }) => ['exec_command', { cmd: command }],
  },
  error: ({ type, message, ...more }) => ({ error: { type, code: type, message, ...more } }),
  answer({ text, call, id }, { input, output, cached, thought }, { model }) {
    const item =
      call === undefined
        ? { type: 'message', id: `msg_${id}`, role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }
        : { type: 'function_call', id: `fc_${id}`, call_id: id, name: call[0], arguments: JSON.stringify(call[1]) };
    const usage = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: thought },
      total_tokens: input + output,
    };
    const response = { id: `resp_${id}`, object: 'response', model, output: [item], usage };
    return named([
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, status: 'completed' } },
    ]);
  },
};

const GEMINI = {
  path: /generateContent/i,
  isMain: ({ tools }) =>
    many(tools)
      .flatMap(({ functionDeclarations }) => many(functionDeclarations))
      .some(({ name }) => name === 'read_file'),
  schema: ({ generationConfig }) => generationConfig?.responseJsonSchema,
  outputs: ({ contents: said }) =>
    many(said)
      .flatMap(({ parts }) => many(parts))
      .filter(({ functionResponse }) => functionResponse !== undefined),
  tools: {
    read: ({ path }) => ['read_file', { file_path: path }],
    edit: ({ path, from, to }) => ['replace', { file_path: path, instruction: 'Correct it', old_string: from, new_string: to }],
    shell: ({ command }) => ['run_shell_command', { command, description: 'Run a command' }],
  },
  error: ({ status, type, message, details }) => ({ error: { code: status, status: type, message, ...(details && { details }) } }),
  answer({ text, call, id }, { input, output, cached, thought }, _, url) {
    const part = call === undefined ? { text } : { functionCall: { id, name: call[0], args: call[1] } };
    const usageMetadata = {
      promptTokenCount: input,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output - thought,
      thoughtsTokenCount: thought,
      totalTokenCount: input + output,
    };
    const data = { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }], usageMetadata };
    return url.includes('stream') ? { events: [{ data }] } : { json: data };
  },
};

const CHAT = {
  path: /\/chat\/completions$/,
  isMain: ({ tools }) => many(tools).some((tool) => tool.function?.name === 'read'),
  schema: ({ response_format }) => response_format?.json_schema?.schema,
  outputs: ({ messages }) => many(messages).filter(({ role }) => role === 'tool'),
  tools: {
    read: ({ path }) => ['read', { filePath: path }],
    edit: ({ path, from, to }) => ['edit', { filePath: path, oldString: from, newString: to }],
    shell: ({ command }) => ['bash', { command, description: 'Run a command' }],
  },
  error: ({ type, message }) => ({ error: { type, code: type, message } }),
  answer({ text, call, id }, { input, output, cached, thought }, { model }) {
    const made = call && { index: 0, id, type: 'function', function: { name: call[0], arguments: JSON.stringify(call[1]) } };
    const delta = { role: 'assistant', ...(made === undefined ? { content: text } : { tool_calls: [made] }) };
    const chunk = { id: `chat_${id}`, object: 'chat.completion.chunk', created: 1, model };
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: thought },
    };
    return {
      events: [
        { data: { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] } },
        { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: call === undefined ? 'stop' : 'tool_calls' }], usage } },
        { data: '[DONE]' },
      ],
    };
  },
};

const PROTOCOLS = { messages: MESSAGES, responses: RESPONSES, gemini: GEMINI, chat: CHAT };

/** What each provider sends: HTTP status, kind of error, words; `headers` and more fields where it sends some. */
const FAILURES = {
  'rate limit': {
    messages: [429, 'rate_limit_error', 'This request would exceed the rate limit of your organization.'],
    responses: [429, 'rate_limit_exceeded', 'Rate limit reached for requests. Please try again in 1s.'],
    gemini: [429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'],
    chat: [429, 'rate_limit_exceeded', 'Rate limit reached for requests. Please try again in 1s.'],
    headers: { 'retry-after': '1' },
  },
  overloaded: {
    messages: [529, 'overloaded_error', 'Overloaded'],
    responses: [503, 'server_is_overloaded', 'Our servers are currently overloaded. Please try again later.'],
    gemini: [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'],
    chat: [503, 'server_is_overloaded', 'Our servers are currently overloaded. Please try again later.'],
  },
  overflow: {
    messages: [400, 'invalid_request_error', 'prompt is too long: 250000 tokens > 200000 maximum'],
    responses: [400, 'context_length_exceeded', 'Your input exceeds the context window of this model.'],
    gemini: [400, 'INVALID_ARGUMENT', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
    chat: [
      400,
      'context_length_exceeded',
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    ],
  },
  key: {
    messages: [401, 'authentication_error', 'the key is wrong'],
    responses: [401, 'invalid_api_key', 'the key is wrong'],
    gemini: [401, 'UNAUTHENTICATED', 'the key is wrong'],
    chat: [401, 'invalid_api_key', 'the key is wrong'],
  },
  'plan limit': {
    messages: [429, 'rate_limit_error', 'This request would exceed the rate limit of your account.'],
    responses: [429, 'usage_limit_reached', 'The usage limit has been reached'],
    gemini: [429, 'RESOURCE_EXHAUSTED', 'You have exhausted your capacity on this model.'],
    chat: [429, 'usage_limit_reached', 'You have reached your usage limit.'],
  },
};

function failure(name, protocol, { resetsAt }) {
  const { headers = {}, [protocol]: row } = FAILURES[name];
  const [status, type, message] = row;
  const limit =
    resetsAt === undefined ? {} : LIMIT_DETAILS[protocol](Math.floor(resetsAt / 1000), Math.ceil((resetsAt - Date.now()) / 1000));
  const { fields = {}, headers: more = {}, said = '' } = limit;
  const body = PROTOCOLS[protocol].error({ status, type, message: message + said, ...fields });
  return { status, json: body, headers: { ...headers, ...more } };
}

/** When the plan is renewed, as each provider says it. */
const LIMIT_DETAILS = {
  messages: (at) => ({
    headers: {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(at),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'anthropic-ratelimit-unified-5h-status': 'rejected',
      'anthropic-ratelimit-unified-5h-reset': String(at),
      'anthropic-ratelimit-unified-overage-status': 'rejected',
    },
  }),
  responses: (at, seconds) => ({ fields: { plan_type: 'plus', resets_at: at, resets_in_seconds: seconds } }),
  gemini: (_, seconds) => ({
    said: ` Your quota will reset after ${Math.floor(seconds / 60)}m${seconds % 60}s.`,
    fields: {
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'QUOTA_EXHAUSTED',
          domain: 'cloudcode-pa.googleapis.com',
          metadata: {},
        },
      ],
    },
  }),
  chat: (_, seconds) => ({ said: ` Try again in ${seconds} seconds.`, headers: { 'retry-after': String(seconds) } }),
};

const named = (events) => ({ events: events.map((event) => ({ name: event.type, data: event })) });
const contents = (messages) => many(messages).flatMap(({ content }) => many(content));

/** A value that fits the schema: the given fields, and for the other required ones the emptiest value that is allowed. */
function fill(schema, fields) {
  if (schema?.properties === undefined) return fields;
  const required = many(schema.required).map((name) => [name, emptiest(schema.properties[name] ?? {})]);
  const known = Object.entries(fields).filter(([name]) => Object.hasOwn(schema.properties, name));
  return Object.fromEntries([...required, ...known]);
}

function emptiest(schema) {
  if (schema.const !== undefined) return schema.const;
  const options = [schema, ...many(schema.anyOf), ...many(schema.oneOf)];
  if (options.some(({ type }) => [type].flat().includes('null'))) return null;
  const values = options.flatMap((option) => many(option.enum));
  if (values.length > 0) return values.includes(null) ? null : values[0];
  const type = String([schema.type].flat()[0] ?? 'string').toLowerCase();
  return { integer: 1, number: 1, boolean: false, array: [], object: {} }[type] ?? 'none';
}

/** The schema in the text of the prompt, where the agent has no other way to learn it. */
function schemaInText(raw) {
  const blocks = [...raw.matchAll(/```json\\n(.*?)\\n```/g)].map(([, text]) => text);
  for (const text of blocks.toReversed()) {
    try {
      const value = JSON.parse(JSON.parse(`"${text}"`));
      if (value.properties !== undefined) return value;
    } catch {
      // Another block.
    }
  }
  return undefined;
}

/** Resolves with the server. `onHang` is called when a request is left without an answer. */
export function startModel(moves, onHang = () => {}) {
  const requests = [];
  let next = 0;
  let answered = 0;
  const serve = (url, raw, response) => {
    const protocol = Object.keys(PROTOCOLS).find((name) => PROTOCOLS[name].path.test(url));
    if (protocol === undefined || url.includes('count_tokens'))
      return send(response, { json: { data: [], models: [], input_tokens: 1000 } });
    const body = JSON.parse(raw);
    const speaker = PROTOCOLS[protocol];
    const isMain = speaker.isMain(body);
    const outputs = isMain ? speaker.outputs(body).map((part) => JSON.stringify(part)) : [];
    // After a structured result the agent may ask once more.
    const isOver = requests.findLast(({ move: made }) => made !== null)?.isStructured === true && raw.includes(requests.at(-1).id);
    const last = moves.length - 1;
    if (moves[next]?.details?.resetsAt <= Date.now()) next++;
    const current = moves[Math.min(next, last)];
    // A failure that lasts concerns every request, also those for a summary or a title, and to another model.
    const isLasting = current.kind === 'fail' && (next >= last || current.details.resetsAt !== undefined);
    const made = (isMain && !isOver) || isLasting ? current : null;
    if (made !== null && (!isLasting || next >= last)) next++;
    const id = `call_${requests.length + 1}_${Math.random().toString(36).slice(2, 10)}`;
    const request = { protocol, isMain, move: made, raw, outputs, id, charged: 0, thought: 0, isStructured: false };
    requests.push(request);
    if (made?.kind === 'hang') return onHang();
    if (made?.kind === 'fail') return send(response, failure(made.name, protocol, made.details));
    const charge = chargeOf(++answered);
    const schema = speaker.schema(body) ?? (isMain ? schemaInText(raw) : undefined);
    const said = sayMove(made, { speaker, body, schema });
    const answer = speaker.answer({ ...said, id }, charge, body, url);
    if (made?.kind === 'cut') return cutOff(response, answer);
    request.isStructured = said.isStructured === true;
    request.charged = charge.input + charge.output;
    request.thought = charge.thought;
    return send(response, answer);
  };
  const server = createServer((request, response) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => serve(request.url ?? '', Buffer.concat(pieces).toString('utf8'), response));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({
        port: server.address().port,
        requests,
        /** Moves of the script that no request has asked for. */
        unplayed: () => moves.slice(next),
        close: () => {
          server.closeAllConnections();
          server.close();
        },
      }),
    );
  });
}

/** Requests beside the conversation ask for titles and the like. */
function sayMove(made, { speaker, body, schema }) {
  if (made === null) return { text: schema === undefined ? 'A title' : JSON.stringify(fill(schema, {})) };
  if (made.kind === 'cut') return { text: 'This answer is never finished. '.repeat(20) };
  if (made.kind === 'say') return { text: made.text };
  if (made.kind !== 'result') return { call: speaker.tools[made.kind](made) };
  const object = fill(schema, made.fields);
  const call = speaker.tools.structured?.(object, body) ?? null;
  return call === null ? { text: JSON.stringify(object) } : { call, isStructured: true };
}

const print = ({ name, data }) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

function send(response, { status = 200, json, events, headers = {} }) {
  const type = json === undefined ? 'text/event-stream' : 'application/json';
  response.writeHead(status, { 'content-type': type, 'request-id': 'req_loopback', ...headers });
  response.end(json === undefined ? events.map(print).join('') : JSON.stringify(json));
}

/** Half of the bytes, then the end of the connection. */
function cutOff(response, { json, events }) {
  const text = json === undefined ? events.map(print).join('') : JSON.stringify(json);
  response.writeHead(200, { 'content-type': json === undefined ? 'text/event-stream' : 'application/json' });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}
