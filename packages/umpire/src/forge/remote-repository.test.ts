// Addresses of remotes as people write them.

import { expect, it } from 'vitest';
import { parseRemoteUrl } from './remote-repository.js';

it.each([
  'https://github.com/octo/shop.git',
  'https://github.com/octo/shop/',
  'https://user:pass@GitHub.com/octo/shop',
  'git@github.com:octo/shop.git',
  'ssh://git@github.com:22/octo/shop.git',
])('reads %s', (url) => {
  expect(parseRemoteUrl(url)).toEqual({ host: 'github.com', repository: 'octo/shop' });
});

it.each([
  '',
  '/srv/shop.git',
  '../shop',
  'file:///srv/octo/shop',
  'https://github.com/octo',
  'https://github.com/a/b/c',
  'https://github.com/../..',
  '-oProxyCommand=x:octo/shop',
  '-x:octo/shop',
  'ext::sh -c x',
])('is no repository on a server: %s', (url) => {
  expect(parseRemoteUrl(url)).toBe(null);
});
