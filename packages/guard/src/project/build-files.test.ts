// Which changes of a build file are about its tests.

import { expect, it } from 'vitest';
import { changesTestLines, isBuildFile } from './build-files.js';

it.each([
  ['Cargo.toml', '[lib]\nname = "a"\n', '[lib]\nname = "a"\ntest = false\n', true],
  ['Cargo.toml', '[dependencies]\nserde = "1"\n', '[dependencies]\nserde = "1"\nlog = "0.4"\n', false],
  ['pom.xml', '<version>3.2.5</version>', '<version>3.2.5</version>\n<exclude>**/Price*</exclude>', true],
  ['pom.xml', '<properties>\n</properties>', '<properties>\n<skipTests>true</skipTests>\n</properties>', true],
  ['pom.xml', '<dependency>\n</dependency>', '<dependency>\n<artifactId>guava</artifactId>\n</dependency>', false],
  ['app/build.gradle.kts', 'tasks.test {\n}', 'tasks.test {\n  ignoreFailures = true\n}', true],
  ['build.gradle', "implementation 'a:b:1'", "implementation 'a:b:2'", false],
  ['CMakeLists.txt', 'add_test(NAME a COMMAND a)\nadd_test(NAME b COMMAND b)', 'add_test(NAME a COMMAND a)', true],
  ['CMakeLists.txt', 'add_test(NAME a COMMAND a)', 'add_test(NAME a COMMAND a)\nadd_test(NAME b COMMAND b)', false],
  ['CMakeLists.txt', 'add_library(shop a.c)', 'add_library(shop a.c b.c)', false],
  ['CMakeLists.txt', 'add_test(NAME a COMMAND a)', 'add_test(NAME a COMMAND a)\nset_tests_properties(a PROPERTIES WILL_FAIL TRUE)', true],
  ['Shop.Tests.csproj', '<Project>\n</Project>', '<Project>\n<Compile Remove="PriceTests.cs" />\n</Project>', true],
  ['mix.exs', 'test_paths: ["test"]', 'test_paths: ["test/unit"]', true],
  ['mix.exs', 'deps: []', 'deps: [{:jason, "~> 1.0"}]', false],
  ['composer.json', '"test": "phpunit"', '"test": "true"', true],
  ['notes.txt', 'a', 'b', false],
])('%s: %j → %j', (path, before, after, expected) => {
  expect(changesTestLines({ path, before, after })).toBe(expected);
});

it('knows build files by their names', () => {
  expect(['Cargo.toml', 'a/pom.xml', 'cmake/tests.cmake', 'go.mod', 'Makefile'].map(isBuildFile)).toEqual([true, true, true, false, false]);
});
