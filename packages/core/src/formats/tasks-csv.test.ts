import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UmpireError } from '../model/errors.js';
import type { Task } from '../model/vocabulary.js';
import { COMMON_COLUMNS, editTasks, formulaCells, joinIds, parseTasks, printTasks, showValue, tasksColumns } from './tasks-csv.js';
import type { TasksEdit } from './tasks-csv.js';

function check(text: string, columns: readonly string[], tasks: readonly Task[]): void {
  const file = parseTasks(text);
  expect({ columns: file.columns, tasks: file.tasks }).toEqual({ columns, tasks });
  expect(editTasks(file, {})).toBe(text);
}

function checkRefused(text: string, message: string, hint: string): void {
  let thrown: unknown;
  try {
    parseTasks(text);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(UmpireError);
  const { code, message: said, hint: advice } = thrown as UmpireError;
  expect({ code, message: said, hint: advice }).toEqual({ code: 'tasks-malformed', message, hint });
}

function checkEdit(text: string, edit: TasksEdit, expected: string): void {
  expect(editTasks(parseTasks(text), edit)).toBe(expected);
}

test('cells that a spreadsheet would run are named, and stay as they are', () => {
  const cells = ['=1+1', '+cmd', '-2+3', '@sum', '"\tx"', '"\rx"', '- item', '-1.5', '+3', '-', '5%', 'a=b', ' =x'];
  const text = `id,description,role,deps,status,${cells.map((_, at) => `c${at}`).join(',')}\nA,d,r,,,${cells.join(',')}\n`;
  const file = parseTasks(text);
  expect(formulaCells(file).map(({ line, id, column }) => `${line} ${id} ${column}`)).toEqual(
    [0, 1, 2, 3, 4, 5, 6].map((at) => `2 A c${at}`),
  );
  expect(editTasks(file, {})).toBe(text);
});

test('a full row becomes a task, with every cell as the file has it', () => {
  const header = '\ufeffid, status ,Zusatz,"description",role,deps,context_from,exec_mode';
  check(
    `${header}\r\n A-1 , completed ,ü,"Do ""this"",\r\nthen that",designer, X;;Y ; ,Y,interactive\r\nB,,,b,,,,\r\n`,
    ['id', 'status', 'Zusatz', 'description', 'role', 'deps', 'context_from', 'exec_mode'],
    [
      {
        id: 'A-1',
        role: 'designer',
        description: 'Do "this",\r\nthen that',
        deps: ['X', 'Y'],
        contextFrom: ['Y'],
        execMode: 'interactive',
        status: 'completed',
        columns: {
          id: ' A-1 ',
          status: ' completed ',
          Zusatz: 'ü',
          description: 'Do "this",\r\nthen that',
          role: 'designer',
          deps: ' X;;Y ; ',
          context_from: 'Y',
          exec_mode: 'interactive',
        },
        line: 2,
      },
      {
        id: 'B',
        role: '',
        description: 'b',
        deps: [],
        contextFrom: [],
        execMode: 'csv-wave',
        status: 'pending',
        columns: { id: 'B', status: '', Zusatz: '', description: 'b', role: '', deps: '', context_from: '', exec_mode: '' },
        line: 4,
      },
    ],
  );
});

test('needs only two columns; columns may be unnamed or have awkward names', () => {
  const bare = {
    id: 'A',
    role: '',
    description: 'x',
    deps: [],
    contextFrom: [],
    execMode: 'csv-wave',
    status: 'pending',
    line: 2,
  } as const;
  check('id,description\n', ['id', 'description'], []);
  check('id,,description, \nA,1,x,2\n', ['id', '', 'description', ''], [{ ...bare, columns: { id: 'A', description: 'x' } }]);
  const columns = JSON.parse('{"id":"A","description":"x","__proto__":"p","constructor":"c"}') as Record<string, string>;
  check('id,description,__proto__,constructor\nA,x,p,c\n', ['id', 'description', '__proto__', 'constructor'], [{ ...bare, columns }]);
  expect(Object.keys(parseTasks('id,description,__proto__\nA,x,p\n').tasks[0]?.columns ?? {})).toEqual(['id', 'description', '__proto__']);
});

test('a comma does not separate ids', () => {
  expect(parseTasks('id,description,deps\nA,x,"B,C;D"\n').tasks[0]?.deps).toEqual(['B,C', 'D']);
});

test('refuses a broken file with the line and what to do', () => {
  const header = 'id,title,description,role,deps,context_from,exec_mode,wave,status,findings,error';
  const needs = (name: string) =>
    `The first line must name the columns in lower case. Add the column ${name}, or write a header such as: ${header}`;
  checkRefused('', 'tasks.csv:1: the file is empty.', `Give it a header line, such as: ${header}`);
  checkRefused('\ufeff\n\n', 'tasks.csv:1: the file is empty.', `Give it a header line, such as: ${header}`);
  checkRefused('\nid,title\n', 'tasks.csv:2: the header has no column "description".', needs('description'));
  const commas = 'Save it as CSV with commas. Some spreadsheets use other separators.';
  checkRefused('id;description\nA;x\n', 'tasks.csv:1: its columns are separated by semicolons.', commas);
  checkRefused('id\tdescription\nA\tx\n', 'tasks.csv:1: its columns are separated by tabs.', commas);
  checkRefused('ID,description\nA,x\n', 'tasks.csv:1: the header has no column "id".', needs('id'));
  checkRefused('id,description, id\n', 'tasks.csv:1: the header names the column "id" twice.', 'Rename or remove one of the two columns.');
  checkRefused('id,description\nA,x\n ,y\n', 'tasks.csv:3: the task has no id.', 'Give the task a unique id, or remove the line.');
  checkRefused(
    'id,description\nA,"x\n"\nB,y\n A,z\n',
    'tasks.csv:5: the id "A" is already used on line 2.',
    'Change the id on line 2 or on line 5.',
  );
  checkRefused('id,description\nA, \n', 'tasks.csv:2: the task "A" has an empty description.', 'Describe what the task should do.');
  checkRefused(
    'id,description,exec_mode\nA,x,batch\n',
    'tasks.csv:2: the task "A" has the unknown exec_mode "batch".',
    'Use one of csv-wave, interactive, or leave the cell empty for csv-wave.',
  );
  checkRefused(
    'id,description,status\nA,x,Done\n',
    'tasks.csv:2: the task "A" has the unknown status "Done".',
    'Use one of pending, in_progress, completed, failed, skipped, or leave the cell empty for pending.',
  );
  checkRefused(
    'id,description\nA,"x\n',
    'tasks.csv:2: a quote is opened here and never closed.',
    'Close the value with a double quote; write a double quote inside it twice ("").',
  );
  checkRefused(
    'id,description\nA\n',
    'tasks.csv:2: this row has 1 cell, but the header has 2.',
    'Give the row 2 cells. Put double quotes around a value with a comma, and keep the comma of an empty value.',
  );
  expect(() => parseTasks('', 'wave-1.csv')).toThrow('wave-1.csv:1: the file is empty.');
});

test('findings of any length are read', () => {
  const long = 'x'.repeat(100_000);
  expect(parseTasks(`id,description,findings\nA,x,${long}\n`).tasks[0]?.columns['findings']).toBe(long);
});

test('an edit changes the named cells only', () => {
  const text = '\ufeff"id",extra,description,status,deps\r\n"A",  k  ,"x",pending,\nB,"",y,,"A"\r\n\r\nC,,z,pending,B';
  checkEdit(
    text,
    {
      set: new Map([
        ['A', { status: 'completed', id: 'A', extra: '  k  ' }],
        ['C', { deps: 'A;B', nonsense: 'dropped' }],
      ]),
    },
    text.replace('"x",pending', '"x",completed').replace('pending,B', 'pending,A;B'),
  );
  checkEdit(
    text,
    { add: [{ id: 'D', description: 'a, "b"', status: 'pending', nonsense: 'dropped' }], set: new Map([['B', { deps: '' }]]) },
    `${text.replace('"A"\r\n\r\n', '""\r\n\r\n')}\r\nD,,"a, ""b""",pending,`,
  );
  checkEdit(text, { set: new Map([['A', { title: 't' }]]) }, text);
  checkEdit('id,,description\n A ,,x\n', { set: new Map([['A', { id: 'A', '': 'dropped' }]]) }, 'id,,description\n A ,,x\n');
});

test('an essential column that the file lacks is added to the header and every row', () => {
  const text = 'id,description\nA,x\n\nB,y\n';
  checkEdit(text, { set: new Map([['B', { status: 'failed', role: '' }]]) }, 'id,description,status\nA,x,\n\nB,y,failed\n');
  checkEdit(
    text,
    {
      set: new Map([['A', { status: 'completed' }]]),
      add: [{ id: 'C', description: 'z', role: 'tester', deps: 'A;B', findings: 'dropped' }],
    },
    'id,description,role,deps,status\nA,x,,,completed\n\nB,y,,,\nC,z,tester,A;B,\n',
  );
  checkEdit(text, { add: [{ id: 'C', description: 'z', deps: '' }] }, 'id,description\nA,x\n\nB,y\nC,z\n');
});

test('throws on an id that does not fit the file', () => {
  const file = parseTasks('id,description\nA,x\n');
  const row = { id: 'B', description: 'y' };
  expect(() => editTasks(file, { add: [{ id: 'A', description: 'y' }] })).toThrow(
    'a task with the id "A" cannot be added: ids are unique and not empty',
  );
  expect(() => editTasks(file, { add: [row, row] })).toThrow('a task with the id "B" cannot be added: ids are unique and not empty');
  expect(() => editTasks(file, { add: [{ description: 'y' }] })).toThrow(
    'a task with the id "" cannot be added: ids are unique and not empty',
  );
  expect(() => editTasks(file, { set: new Map([['B', row]]) })).toThrow('there is no task "B" to edit');
  expect(() => editTasks(file, { set: new Map([['A', row]]) })).toThrow('the id of task "A" cannot be edited');
});

test('a new file is read back as it was', () => {
  const columns = tasksColumns(['layer'], ['pass_rate']);
  expect(printTasks(columns, [{ id: 'A', description: 'x, y', layer: 'L1', other: 'dropped' }])).toBe(
    'id,title,description,role,layer,deps,context_from,exec_mode,wave,status,findings,pass_rate,error\nA,,"x, y",,L1,,,,,,,,\n',
  );
  expect(printTasks(['id', 'constructor'], [{ id: 'A' }])).toBe('id,constructor\nA,\n');
  const text = fc.string({ unit: fc.constantFrom('a', 'B', '"', ',', ';', '\n', '\r', ' ', 'ß', '=') });
  const rows = fc.uniqueArray(fc.record({ id: fc.stringMatching(/^[A-Z]{1,3}$/), description: text, findings: text }), {
    selector: (row) => row.id,
  });
  fc.assert(
    fc.property(rows, fc.array(text, { maxLength: 3 }), (made, edits) => {
      const kept = made.filter((row) => row.description.trim() !== '');
      const file = parseTasks(printTasks(['id', 'description', 'findings'], kept));
      expect(file.tasks.map((task) => task.columns)).toEqual(kept);
      const set = new Map(kept.slice(0, edits.length).map((row, index) => [row.id, { findings: edits[index] ?? '' }]));
      const again = parseTasks(editTasks(file, { set }));
      expect(again.tasks.map((task) => task.columns)).toEqual(
        kept.map(({ id, description, findings }, index) => ({ id, description, findings: edits[index] ?? findings })),
      );
    }),
    { numRuns: 500 },
  );
});

test('columns and id lists', () => {
  expect(COMMON_COLUMNS).toEqual([
    'id',
    'title',
    'description',
    'role',
    'deps',
    'context_from',
    'exec_mode',
    'wave',
    'status',
    'findings',
    'error',
  ]);
  expect(tasksColumns([], [])).toEqual(COMMON_COLUMNS);
  expect([joinIds([]), joinIds(['A']), joinIds(['A', 'B'])]).toEqual(['', 'A', 'A;B']);
});

test('values are shown short, on one line and without terminal codes', () => {
  expect([showValue('a"b'), showValue('x'.repeat(61)), showValue('\u001b[31m\u202e\u2028\u009b\n')]).toEqual([
    '"a\\"b"',
    `"${'x'.repeat(60)}…"`,
    '"\\u001b[31m\\u{202e}\\u{2028}\\u{9b}\\n"',
  ]);
});
