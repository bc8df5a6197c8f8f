// An editable Python package, run by the real command: checks and agents see the worktree's sources, whether the environment is named
// by its path, activated in the shell, or outside the project.

import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { writeFiles } from './support/git-project.js';
import { cleanUpProjects, makeProject, textOf } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

const hasPython = spawnSync('python3', ['-c', 'import venv']).status === 0;

const FILES = { 'src/shop.py': 'def total(price, count):\n    return price\n', '.gitignore': '.venv/\n' };
const CHECK = "-c 'import shop; assert shop.total(2, 3) == 6, shop.__file__'";
const FIX = 'sed -i.bak "s/return price/return price * count/" src/shop.py; rm src/shop.py.bak';

function shop(place: (project: RunProject) => string): { readonly project: RunProject; readonly environment: string } {
  const project = makeProject({ files: FILES });
  const environment = place(project);
  execFileSync('python3', ['-m', 'venv', '--without-pip', environment]);
  const [python = ''] = readdirSync(join(environment, 'lib'));
  writeFiles(join(environment, 'lib', python, 'site-packages'), { 'editing.pth': `${join(project.root, 'src')}\n` });
  return { project, environment };
}

const inProject = ({ root }: RunProject): string => join(root, '.venv');
const beside = (project: RunProject): string => join(project.beside, 'environment');

describe.skipIf(!hasPython)('an editable Python package (skipped without Python)', () => {
  it('is fixed if the check uses the project’s environment', async () => {
    const { project } = shop(inProject);
    const { exit, err } = await project.umpire('until', `.venv/bin/python ${CHECK}`, ...project.sh(`${FIX}; complete done`));
    expect(err).toContain('round 1 of 5');
    expect(exit).toBe(0);
    expect(textOf(project.root, 'src/shop.py')).toBe(FILES['src/shop.py']);
  });

  it.each([
    ['in the project', inProject],
    ['elsewhere', beside],
  ])(
    'is mended where the environment is switched on and lies %s; agents and set-up have that of the worktree too',
    SOAK,
    async (_, place) => {
      const { project, environment } = shop(place);
      project.commit({ 'umpire.config.yaml': 'workspace: { setup: "command -v python >> $HOME/seen" }\n' });
      const env = { VIRTUAL_ENV: environment, PATH: `${environment}/bin:${process.env['PATH'] ?? ''}` };
      const agent = project.sh(`command -v python >> $beside/seen; ${FIX}; complete done`);
      const { exit, session } = await project.umpireWith({ env }, 'until', `python ${CHECK}`, ...agent);
      expect(textOf(session, 'results/until.json')).toContain('"exit_status": 0');
      expect(exit).toBe(0);
      const seen = textOf(project.beside, 'seen').trim().split('\n');
      expect(seen.length).toBeGreaterThanOrEqual(3);
      expect(seen.filter((program) => !program.startsWith(`${project.worktrees}/`))).toEqual([]);
    },
  );
});
