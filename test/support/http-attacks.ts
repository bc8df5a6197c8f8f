// Requests that a hostile page, program or neighbour sends to `umpire serve`: hand-made ones, and random combinations of their parts.

import { pick } from './mutate.js';
import type { Below } from './mutate.js';

export interface HttpAttack {
  readonly name: string;
  /** The bytes that go to the server. */
  readonly bytes: string;
  /** It sends the right key to the right host, so it may see the sessions. */
  readonly isAllowed: boolean;
}

interface Parts {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  /** The value of Authorization; null sends none. */
  readonly key: string | null;
  readonly headers: readonly string[];
  readonly body: string;
}

const ID = '.umpire%2Fsessions%2Fclassified';

const METHODS = 'POST PUT DELETE PATCH HEAD OPTIONS TRACE CONNECT PROPFIND SEARCH get G%45T'.split(' ');

const PATHS = [
  '/../../etc/passwd',
  '/..%2f..%2f..%2fetc%2fpasswd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '//etc/passwd',
  '/..\\..\\outside\\secret.txt',
  '/app.js/../../../package.json',
  '/app.js%00.html',
  '/%c0%ae%c0%ae/outside/secret.txt',
  '/%',
  '/%zz',
  'file:///etc/passwd',
  '*',
  'x',
  '/index.html',
  '/.umpire/sessions/classified/journal.ndjson',
  '/web/../umpire.cjs',
  '/api',
  '/api/',
  '/api//sessions',
  '/API/sessions',
  '/api/sessions/..;/x',
  '/api/sessions#x',
  '/app.js?x=/api/sessions',
  '/?/api/sessions',
  `/${'a'.repeat(7_000)}`,
  `/${'../'.repeat(2_000)}`,
  '/api/session',
  '/api/session?id=',
  '/api/session?id=%00',
  '/api/session?id=../outside',
  '/api/session?id=%2e%2e%2foutside',
  '/api/session?id=/etc',
  '/api/session?id=one&id=../outside',
  '/api/session?id[]=x',
  '/api/session?id=__proto__',
  '/api/session?id=%ff',
  ...['session', 'report', 'diff'].map((kind) => `/api/${kind}?id=${ID}%2F..%2F..%2F..%2F..%2Foutside`),
  ...['../journal', '..%2F..%2Fjournal.ndjson', '%2Fetc%2Fpasswd', 'WORK-9-1', '%00', 'constructor'].map(
    (name) => `/api/log?id=${ID}&name=${name}`,
  ),
  ...['-1', '1e3', '99999', '999999', '0x1', '1%3Brm', '%00', ''].map((round) => `/api/diff?id=${ID}&round=${round}`),
  ...['..%2F..', '--output%3Dx', '%00', 'constructor'].map((chain) => `/api/diff?id=${ID}&round=1&chain=${chain}`),
];

const OPEN_PATHS = ['/', '/app.js', '/api/sessions', `/api/session?id=${ID}`, `/api/report?id=${ID}`];

/** Names that lead here only if somebody else's DNS says so. */
const HOSTS = [
  'evil.example',
  'evil.example:80',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'localhost@evil.example',
  '127.0.0.1:80@evil.example',
  '',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '0.0.0.0',
  '127.0.0.2',
  'localhost.',
  'local	host',
  '127.0.0.1/evil',
  'evil.example#127.0.0.1',
  '%00',
  'é',
];

const WRONG_KEYS = (key: string): readonly (string | null)[] => [
  null,
  '',
  'Bearer',
  'Bearer ',
  key,
  `Basic ${key}`,
  `bearer ${key}`,
  `Bearer ${key.slice(1)}`,
  `Bearer ${key}0`,
  `Bearer ${'0'.repeat(32)}`,
  `Bearer ${key.toUpperCase()}x`,
  `Bearer  ${key}`,
  `Bearer ${key} ${key}`,
  `Bearer ${key}\u0000`,
  `Bearer "${key}"`,
  `Bearer ${'a'.repeat(7e3)}`,
  'Bearer é',
  'Bearer undefined',
  'Bearer null',
  'Bearer %00',
];

const HEADERS = [
  'Origin: http://evil.example',
  'Origin: null',
  'Sec-Fetch-Site: cross-site',
  'Referer: http://evil.example/',
  'X-Forwarded-Host: localhost',
  'X-Forwarded-For: 127.0.0.1',
  'Forwarded: host=localhost',
  'X-Original-URL: /api/sessions',
  'X-HTTP-Method-Override: DELETE',
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13',
  'Upgrade: h2c',
  'If-None-Match: *',
  'If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT',
  'If-Match: "x"',
  'Range: bytes=0-1',
  'Range: bytes=-99999999999',
  `Range: bytes=${'0-,'.repeat(1e3)}`,
  'Expect: 100-continue',
  'Expect: x',
  'Accept-Encoding: gzip;q=9',
  'Accept: \0',
  'TE: trailers',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Content-Length: 1\r\nContent-Length: 2',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 4',
  'Transfer-Encoding: x',
  'no colon',
  ': no name',
  'a b: c',
  ' folded: x',
  'X: ',
  `X: ${'a'.repeat(1e5)}`,
  'X: a\r\n'.repeat(3e3).trimEnd(),
  'Cookie: key=x',
  'Host: evil.example',
  'Connection: keep-alive, close, x',
];

const BODIES = [
  '',
  'x',
  '{"a":1}',
  'a'.repeat(1_000_000),
  'zz\r\nnot a chunk\r\n',
  'ffffffff\r\nx',
  'GET /api/sessions HTTP/1.1\r\nHost: localhost\r\n\r\n',
];

/** No request of HTTP/1.1 at all, or an unfinished one. */
const RAW = [
  '\r\n\r\n',
  '\0'.repeat(64),
  'GET',
  'GET / HTTP/1.1',
  'GET / HTTP/1.1\r\nHost: localhost\r\n',
  'GET /api/sessions\r\n\r\n',
  'hello\r\n\r\n',
  'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n',
  'GET / HTTP/1.0\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\0\0ü',
  `GET /${'a'.repeat(2e5)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  'GET http://evil.example/api/sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nslow',
  'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab',
];

function printRequest({ method, path, host, key, headers, body }: Parts): string {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...(key === null ? [] : [`Authorization: ${key}`]), ...headers];
  return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`;
}

const shorten = (text: string): string => JSON.stringify(text.length > 90 ? `${text.slice(0, 90)}… (${text.length})` : text);

function attackOf(given: Partial<Parts>, key: string): HttpAttack {
  const right = `Bearer ${key}`;
  const parts: Parts = { method: 'GET', path: '/api/sessions', host: 'localhost', key: right, headers: [], body: '', ...given };
  // A browser always sends the name of the page's host: an empty one comes from a program, and that has the key.
  const isAllowed = ['localhost', ''].includes(parts.host) && parts.key === right;
  return {
    name: Object.values(given)
      .map((value) => shorten(String(value)))
      .join(' '),
    bytes: printRequest(parts),
    isAllowed,
  };
}

/** Every part once, in a request that is right otherwise. */
export function handMadeRequests(key: string): readonly HttpAttack[] {
  return [
    ...WRONG_KEYS(key).map((one) => attackOf({ key: one }, key)),
    attackOf({ key: null, path: `/api/sessions?key=${key}` }, key),
    attackOf({ key: null, headers: [`Cookie: key=${key}; umpire-key=${key}`] }, key),
    attackOf({ key: 'Bearer x', headers: [`Authorization: Bearer ${key}`] }, key),
    ...HOSTS.map((host) => attackOf({ host }, key)),
    ...METHODS.map((method) => attackOf({ method }, key)),
    ...PATHS.map((path) => attackOf({ path }, key)),
    ...HEADERS.map((header) => attackOf({ headers: [header] }, key)),
    ...BODIES.map((body) => attackOf({ method: 'POST', headers: [`Content-Length: ${body.length}`], body }, key)),
    ...RAW.map((bytes) => ({ name: shorten(bytes), bytes, isAllowed: false })),
  ];
}

/** Several parts at once. */
export function randomRequest(key: string, below: Below): HttpAttack {
  return attackOf(
    {
      method: pick(['GET', 'GET', 'POST', ...METHODS], below),
      path: pick([...PATHS, ...OPEN_PATHS], below),
      host: pick(['localhost', 'localhost', ...HOSTS], below),
      key: pick([`Bearer ${key}`, `Bearer ${key}`, ...WRONG_KEYS(key)], below),
      headers: Array.from({ length: below(4) }, () => pick(HEADERS, below)),
      body: pick(BODIES, below),
    },
    key,
  );
}
