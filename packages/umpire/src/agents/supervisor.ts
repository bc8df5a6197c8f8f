// Ends what a program leaves behind, without the sandbox: also a process that left its group, cleared its environment and has no parent any
// more. A small supervisor runs the program and becomes the parent of its orphans (a "child subreaper", Linux). Only a system call makes one,
// and Node has none; Perl has, and is part of most Linux systems. Not a PID namespace: it needs a user namespace, in which sudo fails, and
// programs take the process ids in lock files outside for dead ones.

import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { HeldCommand } from '@umpire/core/model/ports.js';
import { isFile } from '../sessions/file-system.js';

/** The number of the system call prctl. */
const PRCTL: Readonly<Record<string, number>> = { x64: 157, arm64: 167, riscv64: 167, loong64: 167, ppc64: 171, s390x: 172 };

/** Not from the PATH: with `npx` it begins with folders of the project. */
const PERLS: readonly string[] = ['/usr/bin/perl', '/bin/perl', '/usr/local/bin/perl', '/run/current-system/sw/bin/perl'];

const perl = process.platform === 'linux' && PRCTL[process.arch] !== undefined ? (PERLS.find((place) => isFile(place)) ?? null) : null;

/** Null: only processes that kept their group or environment can be ended. */
export const supervisorProgram: string | null = perl;

/** The signal that tells a supervisor to kill the program and all it has started. */
export const END_ALL = 'SIGUSR1';

/**
 * Arguments: the number of prctl, milliseconds that processes left behind may still print, the program. Kills its children until none is
 * left: the children of a killed one become its own. It ends as the program did. A process of another user cannot be killed, so it gives up
 * after a second.
 */
const SCRIPT = `
my ($prctl, $drain) = splice @ARGV, 0, 2;
delete $ENV{PERL_BADLANG};
syscall $prctl, 36, 1, 0, 0, 0;
my $main;
$SIG{USR1} = sub { $drain = 0; kill KILL => $main if $main };
$SIG{$_} = sub { } for qw(INT TERM HUP);
$main = fork;
if (defined $main && $main == 0) {
  $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP USR1);
  exec { $ARGV[0] } @ARGV or print STDERR "$ARGV[0]: $!\\n";
  exit 127;
}
exit 126 unless defined $main;
open STDIN, '<', '/dev/null';
open STDOUT, '>', '/dev/null';
open STDERR, '>', '/dev/null';
my ($pid, $status, $waited) = (0, 0, 0);
while (($pid = waitpid -1, 0) > 0) {
  next if $pid != $main;
  $status = $?;
  last;
}
while (($pid = waitpid -1, 1) >= 0) {
  next if $pid > 0;
  if ($waited >= $drain) {
    last if $waited >= $drain + 1000;
    opendir my $all, '/proc';
    for my $id (grep { /^\\d+$/ } readdir $all) {
      open my $in, '<', "/proc/$id/stat" or next;
      local $/;
      kill KILL => $id if (<$in> // '') =~ /.*\\) \\S (\\d+) /s && $1 == $$;
    }
  }
  select undef, undef, undef, 0.01;
  $waited += 10;
}
$SIG{$_} = 'DEFAULT' for qw(INT TERM HUP USR1);
kill $status & 127, $$ if $status & 127;
exit($status & 127 ? 128 + ($status & 127) : $status >> 8);
`;

/** The command line that runs the program under a supervisor; null where there is none, or the program cannot be started. */
export function superviseProgram({ argv, workdir, env }: HeldCommand, drainMs: number): Pick<HeldCommand, 'argv' | 'env'> | null {
  // It could load any module into the supervisor.
  if (perl === null || env['PERL5OPT'] !== undefined) return null;
  try {
    checkProgram(argv[0] ?? '', workdir, env['PATH'] ?? '');
  } catch {
    return null;
  }
  // Perl complains of an unknown locale.
  return { argv: [perl, '-e', SCRIPT, '--', String(PRCTL[process.arch]), String(drainMs), ...argv], env: { PERL_BADLANG: '0' } };
}

/** A relative entry of PATH would depend on the working folder. */
function findOnPath(name: string, path: string): string | null {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, name)).find((place) => isFile(place)) ?? null;
}

/** Throws as `spawn` does. A program that another program cannot start would look like one that failed. */
export function checkProgram(program: string, workdir: string, path: string): void {
  const place = program.includes('/') ? resolve(workdir, program) : findOnPath(program, path);
  if (place === null) throw Object.assign(new Error(`spawn ${program} ENOENT`), { code: 'ENOENT' });
  accessSync(place, constants.X_OK);
}
