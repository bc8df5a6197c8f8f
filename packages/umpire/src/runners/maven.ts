// Maven's Surefire: its JUnit files in every module, and JaCoCo's XML where the project has that plug-in. Whether Maven may load packages,
// the project's own settings say.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { JVM_SOURCES, JVM_TESTS, listClasses, locateClasses } from './jvm-tests.js';
import { findFiles, readText } from './project-files.js';
import { keepFlags } from './runner.js';
import type { Runner } from './runner.js';
import { askVersion } from './system-program.js';

const FLAGS = { withValue: ['-P', '--activate-profiles', '-s', '--settings', '-f'], plain: ['-o', '--offline'] } as const;

export const maven: Runner = {
  name: 'maven',
  title: 'Maven Surefire',
  language: 'java',
  programs: ['mvn test', 'mvnw test', 'mvn verify', 'mvnw verify'],
  settings: null,
  dependency: null,
  signs: { files: ['**/pom.xml'], isShownIn: (folder) => existsSync(join(folder, 'pom.xml')), coversInner: () => true },
  judges: ['**/pom.xml', '.mvn/**', '**/src/test/resources/**'],
  traps: [{ printed: /No tests to run|Tests are skipped/, means: 'Surefire ran no test, or the project skips them.' }],
  packages: [],
  commands: ['mvn test', 'mvn -q test', 'mvn verify', './mvnw test'],
  testFiles: () => JVM_TESTS,
  requestNames: () => ({}),
  prepare: async (place, job, scratch) => {
    const { folder, script } = place;
    const program = existsSync(join(folder, 'mvnw')) ? join(folder, 'mvnw') : 'mvn';
    const version = await askVersion([program, '--version'], place, job, scratch);
    if (version === null) return { absent: 'Maven cannot be started here. Install it with a JDK, or fix the wrapper mvnw of the project.' };
    const hasJacoco = ['pom.xml', ...findFiles(folder, ['**/pom.xml'])].some((file) =>
      /<artifactId>\s*jacoco-maven-plugin\s*</.test(readText(join(folder, file)) ?? ''),
    );
    const { flags } = keepFlags(script?.args ?? [], FLAGS);
    return {
      ready: {
        version,
        uncovered: hasJacoco ? null : 'No coverage: add the plug-in jacoco-maven-plugin with its goal prepare-agent to the pom.xml.',
        countAllHint: null,
        listing: null,
        call: ({ files, others, coverage }) => {
          const isMeasured = coverage && hasJacoco;
          const chosen = [`-Dtest=${listClasses(files).join(',')}`, '-Dsurefire.failIfNoSpecifiedTests=false', '-DfailIfNoTests=false'];
          const goals = isMeasured ? ['test', 'jacoco:report'] : ['test'];
          return {
            // Failed tests of one module do not keep those of the next from running.
            argv: [program, '-B', ...flags, '-Dmaven.test.failure.ignore=true', ...(others.length === 0 ? [] : chosen), ...goals],
            env: script?.env ?? {},
            tests: { file: folder, files: ['**/target/surefire-reports/TEST-*.xml'], format: 'junit' },
            coverage: isMeasured
              ? { file: folder, files: ['**/target/site/jacoco/jacoco.xml'], format: 'jacoco', endsOf: JVM_SOURCES }
              : null,
          };
        },
      },
    };
  },
  locate: locateClasses,
};
