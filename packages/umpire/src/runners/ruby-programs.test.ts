// Whether the helper of a Ruby project starts SimpleCov here.

import { expect, it } from 'vitest';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { findSimpleCov } from './ruby-programs.js';

cleanUpAfterwards();

it.each([
  ['require "simplecov"\nSimpleCov.start\n', null],
  ['if ENV["UNSET_VARIABLE"] == "true"\n  require "simplecov"\n\n  SimpleCov.start\nend\n', 'UNSET_VARIABLE'],
  ["require 'simplecov' if ENV.key?('UNSET_VARIABLE')\nSimpleCov.start if defined?(SimpleCov)\n", 'UNSET_VARIABLE'],
  ['if ENV["PATH"]\n  require "simplecov"\n  SimpleCov.start\nend\n', null],
  ['if ENV["UNSET_VARIABLE"]\n  puts 1\nend\n\n\nrequire "simplecov"\nSimpleCov.start\n', null],
])('%j', (helper, variable) => {
  const folder = temporaryFolder();
  writeFiles(folder, { 'spec/spec_helper.rb': helper });
  const { report, uncovered } = findSimpleCov(folder);
  expect([report === null, uncovered]).toEqual(
    variable === null ? [false, null] : [true, expect.stringContaining(`only where ${variable} is set`)],
  );
});
