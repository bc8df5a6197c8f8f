// Tests of Java, Kotlin and Groovy, whose reports name classes and no files.

import { join } from 'node:path';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import { findFiles, readText } from './project-files.js';

/** By the names that Surefire takes; Gradle takes any class, which people name alike. */
export const JVM_TESTS: readonly string[] = [
  '**/src/test/**/{*Test,*Tests,Test*,*TestCase,*Spec}.{java,kt,groovy,scala}',
  '!**/{target,build}/**',
];

export const JVM_SOURCES: readonly string[] = ['**/src/**/*.{java,kt,groovy,scala}'];

/** `com/shop/PriceTest` */
function readClass(file: string): string {
  return file.replace(/^.*?src\/test\/[^/]+\//, '').replace(/\.\w+$/, '');
}

/** As `-Dtest` and Gradle's filters take them. */
export function listClasses(files: readonly string[]): readonly string[] {
  return files.map((file) => readClass(file).replaceAll('/', '.'));
}

/** By the class in an id: `com.shop.PriceTest > addsPrices`. Of a failed test, the line of its own file in the stack. */
export function locateClasses(folder: string, results: readonly TestResult[]): readonly TestResult[] {
  const byClass = new Map<string, string[]>();
  for (const file of findFiles(folder, JVM_TESTS)) {
    const name = readClass(file).replaceAll('/', '.');
    byClass.set(name, [...(byClass.get(name) ?? []), file]);
  }
  return results.map((result) => {
    const [owner = '', name = ''] = result.id.split(' > ');
    // Modules may have classes of one name: then nobody can say which.
    const [file, ...more] = byClass.get(owner.replace(/\$.*$/, '')) ?? [];
    if (file === undefined || more.length > 0) return result;
    const base = file.slice(file.lastIndexOf('/') + 1);
    const told = new RegExp(`\\(${base.replace('.', '\\.')}:(\\d+)\\)`).exec(result.message ?? '')?.[1];
    const method = /^[\w$]+/.exec(name)?.[0] ?? '\0';
    const lines = (readText(join(folder, file)) ?? '').split('\n');
    const declared = lines.findIndex((line) => new RegExp(`\\b${method.replaceAll('$', '\\$')}\\b\`?\\s*\\(`).test(line));
    const line = told === undefined ? declared + 1 : Number(told);
    return { ...result, file, line: line > 0 ? line : null };
  });
}
