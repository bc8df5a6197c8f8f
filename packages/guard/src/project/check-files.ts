// What the tests and checks of a project run beside the tests: files that its scripts, its settings of runners and the command of the plain loop name,
// and what those load. A change of one of them changes the checks, whatever the file is called.

import { innerTexts, isStarter, listCommands, programName } from '@umpire/core/formats/shell-text.js';
import type { ShellCommand } from '@umpire/core/formats/shell-text.js';
import { roleOf } from './paths.js';

export interface CheckFile {
  /** Who names the file, and what for. */
  readonly why: string;
  /** By what names it or by its own name it is a part of the checks. */
  readonly rule: 'scripts-changed' | 'config-changed';
}

/** Scripts, and targets of a Makefile, that check something. */
const CHECKING =
  /^(pre|post)?(test|tests|check|checks|lint|verify|validate|ci|e2e|spec|coverage|cover|type-?check|types|unit|integration|smoke)([:._-].*)?$/i;

/** Files that check something, by their name. */
const CHECK_NAME =
  /(^|[._-])(check|verify|validate|tests?|spec|lint|ci|gate|assert|e2e|smoke|accept(ance)?|grade|judge)([._-]|\.[\w]+$|$)/i;

/** Where the work itself lies. Projects test themselves by their own programs. */
const WORK =
  /^(?:(?:packages|apps|libs|modules|services)\/[^/]+\/)?(src|source|lib|app|server|client|api|backend|frontend|dist|build|out|cmd|internal)\//;

/** What makes something ready for the check behind it (`node scripts/build.mjs && vitest run`) decides nothing. */
const MAKER = /(^|[._-])(build|compile|bundle|codegen|gen|generate|serve|server|start|dev|clean|seed|migrate)([._-]|$)/i;

const MAKEFILES = ['Makefile', 'makefile', 'GNUmakefile', 'justfile', 'Justfile'];
const RUNNERS = ['vitest', 'jest', 'playwright', 'karma', 'vite'].flatMap((tool) =>
  ['ts', 'mts', 'js', 'mjs', 'cjs'].map((end) => `${tool}.${tool === 'karma' ? 'conf' : 'config'}.${end}`),
);

const MOST_LOADED = 50;

export class CheckFiles {
  private readonly folders = new Map<string, ReadonlyMap<string, CheckFile>>();

  /** `textOf`: a file before the change. `command`: what the plain loop runs. */
  constructor(
    private readonly textOf: (path: string) => string | null,
    private readonly command: string | null,
  ) {}

  /** Null: nobody names the file for a check. */
  of(path: string): CheckFile | null {
    if (WORK.test(path)) return null;
    for (let folder = path; folder !== '';) {
      folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')));
      const checkFile = this.named(folder).get(path);
      if (checkFile !== undefined) return checkFile;
    }
    return null;
  }

  private named(folder: string): ReadonlyMap<string, CheckFile> {
    const known = this.folders.get(folder);
    if (known !== undefined) return known;
    const found = new Map<string, CheckFile>();
    this.folders.set(folder, found);
    const scripts = readScripts(this.textOf(joinFolder(folder, 'package.json')));
    // What others import or start from a package, without endings: its scripts may try it out.

    const { main, module, exports, bin } = parseObject(this.textOf(joinFolder(folder, 'package.json')));
    const named = [...JSON.stringify([main, module, exports, bin]).matchAll(/"([^"]+)"/g)].map(([, path = '']) => path);
    const products = new Set(['index', ...named.map((path) => stemOf(tidied(path)))]);
    const addPrograms = (text: string, checkFile: CheckFile): void => {
      const started = listStarted(text).flatMap(({ command, isLast }) => {
        const programs = findPrograms(command);
        const name = programName(programs[0] ?? '');
        const isMaker = MAKER.test(name) && !CHECK_NAME.test(name) && !/check|verify|dry/i.test(command.words.join(' '));
        return isMaker && !isLast ? [] : programs;
      });
      for (const path of this.findNamed(started, folder))
        if (!found.has(path) && !products.has(stemOf(path.slice(folder === '' ? 0 : folder.length + 1)))) found.set(path, checkFile);
    };
    for (const [name, text] of scripts)
      if (CHECKING.test(name)) addPrograms(text, { rule: 'scripts-changed', why: `the script ${name} runs it` });
    for (const name of MAKEFILES)
      for (const [target, text] of targetsIn(this.textOf(joinFolder(folder, name))))
        addPrograms(text, { rule: 'scripts-changed', why: `the target ${target} runs it` });
    for (const name of RUNNERS.filter((one) => !one.startsWith('vite.') || this.isForTests(joinFolder(folder, one), folder)))
      for (const path of this.loadedBy(joinFolder(folder, name)))
        if (!found.has(path) && !this.isProduct(path, folder)) found.set(path, { rule: 'config-changed', why: `${name} loads it` });
    if (folder === '' && this.command !== null) this.addCommand(this.command, new Map(scripts), found);
    this.follow(found);
    return found;
  }

  /** Vite builds, too: its settings are those of tests where Vitest reads them. */
  private isForTests(config: string, folder: string): boolean {
    const told = [joinFolder(folder, 'package.json'), 'package.json'].some((path) => this.textOf(path)?.includes('vitest') === true);
    return told || /vitest|\btest\s*:/.test(this.textOf(config) ?? '');
  }

  /** What others import from the package: plugins are tried in the project's own settings. */
  private isProduct(path: string, folder: string): boolean {
    const { main, module, exports, bin } = parseObject(this.textOf(joinFolder(folder, 'package.json')));
    return JSON.stringify([main, module, exports, bin]).includes(path.slice(path.lastIndexOf('/') + 1));
  }

  private addCommand(command: string, scripts: ReadonlyMap<string, string>, found: Map<string, CheckFile>): void {
    const asked = listStarted(command).flatMap(({ command: { words } }) => {
      const manager = words.findIndex((word) => /^(?:npm|pnpm|yarn|bun)$/.test(word));
      const script = manager < 0 ? undefined : words.slice(manager + 1).find((word) => !/^(?:-.*|run|run-script)$/.test(word));
      return listStarted(scripts.get(script ?? '') ?? '');
    });
    const commands = [...listStarted(command), ...asked].map((each) => each.command);
    const folders = ['', ...commands.flatMap(({ words }) => (words[0] === 'cd' ? [tidied(words[1] ?? '')] : []))];
    for (const folder of folders)
      for (const path of this.findNamed(commands.flatMap(findPrograms), folder))
        // Another file may be the very thing that is worked on.
        if (!found.has(path) && CHECK_NAME.test(path.slice(path.lastIndexOf('/') + 1)))
          found.set(path, { rule: 'scripts-changed', why: 'the command that is to pass runs it' });
  }

  /** Checks load parts of theirs from other files of their folder. What they load from elsewhere is what they check. */
  private follow(found: Map<string, CheckFile>): void {
    const open = [...found];
    for (const [path, checkFile] of open)
      for (const next of this.loadedBy(path)) {
        if (found.has(next) || found.size > MOST_LOADED || roleOf(next) !== 'source' || !liesWith(path, next)) continue;
        found.set(next, checkFile);
        open.push([next, checkFile]);
      }
  }

  /** Files of the project among some words. */
  private findNamed(words: readonly string[], folder: string): readonly string[] {
    const plain = words.flatMap((word) => word.split(/[\s=,]+/)).flatMap((word) => [word, word.replace(/^[@-]+/, '')]);
    return plain.filter((word) => /[./]/.test(word)).flatMap((word) => this.fileOf(joinFolder(folder, word)) ?? []);
  }

  /** What a file imports by its path. */
  private loadedBy(path: string): readonly string[] {
    const text = this.textOf(path);
    if (text === null) return [];
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    return [...text.matchAll(/(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*['"](\.{1,2}\/[^'"\n]+)['"]/g)].flatMap(
      ([, name = '']) => this.fileOf(joinFolder(folder, name)) ?? [],
    );
  }

  private fileOf(stem: string): string | null {
    const path = tidied(stem);
    if (path === '' || path.startsWith('..')) return null;
    const ends = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.py', '.sh', '/__main__.py', '/index.js', '/index.ts'];
    const asTypes = path.replace(/\.([cm]?)js$/, '.$1ts');
    return [...ends.map((end) => path + end), asTypes].find((one) => this.textOf(one) !== null) ?? null;
  }
}

/** Options of starters with a word behind them that is not yet the program. */
const VALUED =
  /^(?:-[rWXukCnPFw]|--(?:require|import|loader|experimental-loader|preload|conditions|env-file|signal|test-reporter|tsconfig|project|filter|prefix|cwd|dir|workspace))$/;

/** Options by which a runner is told to load a file. */
const LOADING =
  /^--?(?:r|require|import|loader|experimental-loader|preload|(?:test-)?reporters?|(?:global-?)?setup\w*|(?:test-?)?runner|(?:test-?)?env(?:ironment)?|transform|resolver|plugin|rulesdir)$/i;

interface StartedCommand {
  readonly command: ShellCommand;
  /** What its text ends with. */
  readonly isLast: boolean;
}

/** The commands of a shell text, and those of the texts in it: of `sh -c "..."`, and of words that begin as a command does. */
function listStarted(text: string): readonly StartedCommand[] {
  const commands = listCommands(text);
  const inner = commands.flatMap((command) => [
    ...innerTexts(command),
    ...command.words.filter((word, at) => word !== command.written[at] && /\S\s/.test(word) && isStarter(word.trim().split(/\s/)[0] ?? '')),
  ]);
  return [...commands.map((command, at) => ({ command, isLast: at === commands.length - 1 })), ...[...new Set(inner)].flatMap(listStarted)];
}

/** The words of a command that are started or loaded, and not those that they are handed: what a program reads is what is worked on. */
function findPrograms({ words, env }: ShellCommand): readonly string[] {
  const namesProgram = (word: string, index: number): boolean =>
    !isStarter(word) && !/^[-\d]|\s/.test(word) && !VALUED.test(words[index - 1] ?? '');
  const first = words.findIndex(namesProgram);
  const program = words[first] ?? '';
  const options = [words, ...Object.values(env).map((value) => value.split(/\s+/))];
  const loaded = options.flatMap((list) =>
    list.flatMap((word, index) => {
      const [, option = '', value = ''] = /^(-[\w-]+)=(.+)$/.exec(word) ?? [];
      return LOADING.test(option) ? [value] : LOADING.test(list[index - 1] ?? '') ? [word] : [];
    }),
  );
  // `node --check cli.js` reads it and starts nothing.
  if (first < 0 || words[first - 1] === '--check') return loaded;
  return [words[first - 1] === '-m' ? `./${program.replaceAll('.', '/')}` : program, ...loaded];
}

function stemOf(path: string): string {
  return path.replace(/\.[cm]?[jt]sx?$/, '');
}

/** In a folder of scripts, and not at the top of the project, where the work may lie beside its check. */
function liesWith(script: string, path: string): boolean {
  const folder = script.slice(0, script.lastIndexOf('/') + 1);
  return folder !== '' && path.startsWith(folder) && !/^(packages|apps|libs|modules|services)\/[^/]+\/$/.test(folder);
}

function joinFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** `a/./b/../c` is `a/c`. */
function tidied(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

function readScripts(text: string | null): readonly (readonly [string, string])[] {
  const { scripts } = parseObject(text);
  if (typeof scripts !== 'object' || scripts === null) return [];
  return Object.entries(scripts).filter((one): one is [string, string] => typeof one[1] === 'string');
}

function parseObject(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Checking targets of a Makefile or justfile, with the lines below each. */
function targetsIn(text: string | null): readonly (readonly [string, string])[] {
  if (text === null) return [];
  return [...text.matchAll(/^([\w.-]+)[^\n:=]*:(?!=)([^\n]*(?:\n[ \t]+[^\n]*)*)/gm)].flatMap(([, name = '', body = '']) =>
    CHECKING.test(name) ? [[name, body.replace(/^[ \t]*[@+-]*#.*$/gm, '')] as const] : [],
  );
}
