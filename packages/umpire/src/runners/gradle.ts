// Gradle: an init script has every test task run anew, go on after a failure, and write its JUnit outside the project. JaCoCo's XML where the
// project applies that plug-in.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../sessions/file-system.js';
import { JVM_SOURCES, JVM_TESTS, listClasses, locateClasses } from './jvm-tests.js';
import { findFiles, readText } from './project-files.js';
import type { Runner, Selection } from './runner.js';
import { askVersion } from './system-program.js';

const SETTINGS = /^(?:settings|build)\.gradle(?:\.kts)?$/;

export const gradle: Runner = {
  name: 'gradle',
  title: 'Gradle',
  language: 'java',
  programs: ['gradle test', 'gradlew test', 'gradle check', 'gradlew check'],
  settings: null,
  dependency: null,
  signs: {
    files: ['**/{settings,build}.gradle', '**/{settings,build}.gradle.kts'],
    isShownIn: (folder) => namesIn(folder).some((name) => SETTINGS.test(name)),
    coversInner: () => true,
  },
  judges: ['**/*.gradle', '**/*.gradle.kts', 'gradle.properties', '**/src/test/resources/**'],
  traps: [{ printed: /:test (?:NO-SOURCE|UP-TO-DATE|FROM-CACHE|SKIPPED)/, means: 'Gradle took the tests for done, or found none.' }],
  watches: { flags: ['-t', '--continuous'] },
  packages: [],
  commands: ['./gradlew test', './gradlew check', './gradlew build', 'gradle test'],
  testFiles: () => JVM_TESTS,
  requestNames: () => ({}),
  prepare: async (place, job, scratch) => {
    const { folder, script } = place;
    const program = existsSync(join(folder, 'gradlew')) ? join(folder, 'gradlew') : 'gradle';
    const version = await askVersion([program, '--version'], place, job, scratch);
    if (version === null)
      return { absent: 'Gradle cannot be started here. Install it with a JDK, or fix the wrapper gradlew of the project.' };
    const builds = findFiles(folder, ['**/*.gradle', '**/*.gradle.kts']);
    const hasJacoco = builds.some((file) => /\bjacoco\b/i.test(readText(join(folder, file)) ?? ''));
    return {
      ready: {
        version,
        uncovered: hasJacoco ? null : 'No coverage: apply the plug-in jacoco in the build file.',
        countAllHint: null,
        listing: null,
        call: (selection, at) => {
          const isMeasured = selection.coverage && hasJacoco;
          const init = join(at, 'umpire.init.gradle');
          writeFileSync(init, writeInitScript(at, selection));
          return {
            argv: [program, '--console=plain', '--continue', '--init-script', init, 'test', ...(isMeasured ? ['jacocoTestReport'] : [])],
            env: script?.env ?? {},
            tests: { file: at, files: ['tests/**/TEST-*.xml'], format: 'junit' },
            coverage: isMeasured ? { file: at, files: ['coverage/*.xml'], format: 'jacoco', endsOf: JVM_SOURCES } : null,
          };
        },
      },
    };
  },
  locate: locateClasses,
};

function writeInitScript(at: string, { files, others }: Selection): string {
  const chosen = others.length === 0 ? [] : listClasses(files).map((name) => `      includeTestsMatching '${name}'`);
  return `allprojects {
  tasks.withType(Test).configureEach { task ->
    outputs.upToDateWhen { false }
    outputs.cacheIf { false }
    ignoreFailures = true
    reports.junitXml.required = true
    reports.junitXml.outputLocation = new File('${at}/tests' + task.path.replace(':', '/'))
    filter {
      failOnNoMatchingTests = false
${chosen.join('\n')}
    }
  }
  tasks.withType(JacocoReport).configureEach { task ->
    reports.xml.required = true
    reports.xml.outputLocation = new File('${at}/coverage/' + task.path.replace(':', '_') + '.xml')
  }
}
`;
}
