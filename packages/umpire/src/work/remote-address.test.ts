import { expect, test } from 'vitest';
import { parseRemote } from './remote-repository.js';

test.each([
  ['git@host:team/x.git', 'git@host:team/x.git'],
  ['ssh://git@host/x.git', 'ssh://git@host/x.git'],
  ['ssh://git:secret1@host/x.git', 'ssh://git@host/x.git'],
  ['https://host/x.git', 'https://host/x.git'],
  ['https://someone:secret1@host/x.git', 'https://host/x.git'],
  ['https://secret1token@host/x.git?key=secret1', 'https://host/x.git'],
  ['/srv/x.git', '/srv/x.git'],
])('the address %s is shown as %s', (remote, label) => {
  const parsed = parseRemote(remote);
  expect(parsed).toMatchObject({ url: remote, label });
});

test('a password is in no message of git, as it is written or decoded', () => {
  const { redact } = parseRemote('https://me:p%40ssword@host/x.git');
  expect(redact("fatal: unable to access 'https://me:p%40ssword@host/x.git/': p@ssword")).toBe(
    "fatal: unable to access 'https://host/x.git/': ***",
  );
});

test.each(['', '-oProxyCommand=x', 'ext::sh -c x', 'ftp://host/x', 'a\nb'])('%j is not the address of a remote', (remote) => {
  expect(() => parseRemote(remote)).toThrow(/is not the address of a git remote/);
});
