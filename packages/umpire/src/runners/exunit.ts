// ExUnit: by a formatter of a few lines beside the one for people, loaded before Mix. It reports as JUnit, each test with file and line.

import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { namesIn } from '../sessions/file-system.js';
import type { Runner } from './runner.js';
import { askVersion } from './system-program.js';

export const exunit: Runner = {
  name: 'exunit',
  title: 'ExUnit',
  language: 'elixir',
  programs: ['mix test'],
  settings: null,
  dependency: null,
  signs: { files: ['**/mix.exs'], isShownIn: (folder) => namesIn(folder).includes('mix.exs'), coversInner: () => true },
  judges: ['**/mix.exs', '**/test/test_helper.exs', '**/test/support/**'],
  traps: [{ printed: /There are no tests to run|All tests have been excluded/, means: 'ExUnit found no test that its settings take.' }],
  packages: [],
  commands: ['mix test', 'mix compile --warnings-as-errors', 'mix format --check-formatted'],
  testFiles: () => ['**/*_test.exs', '!deps/**'],
  requestNames: () => ({ isPrinted: true }),
  prepare: async (place, job, scratch) => {
    const { folder, script } = place;
    const version = await askVersion(['elixir', '--short-version'], place, job, scratch);
    if (version === null) return { absent: 'Elixir is not installed. Install it with the packages of your system.' };
    return {
      ready: {
        version,
        uncovered: 'Mix writes no coverage report by itself. Set critics.coverage, for example to `mix coveralls.lcov`.',
        countAllHint: null,
        listing: null,
        call: ({ files, others }, at) => {
          const [tests, formatter] = [join(at, 'tests.xml'), join(at, 'formatter.exs')];
          writeFileSync(formatter, FORMATTER.replace('REPORT', JSON.stringify(tests)));
          const chosen = others.length === 0 ? [] : files.map((file) => relative(folder, file));
          const formatters = ['--formatter', 'UmpireFormatter', '--formatter', 'ExUnit.CLIFormatter'];
          return {
            argv: ['elixir', '-r', formatter, '-S', 'mix', 'test', '--no-color', ...formatters, ...chosen],
            env: { ...script?.env, MIX_ENV: 'test' },
            tests: { file: tests, format: 'junit' },
            coverage: null,
          };
        },
      },
    };
  },
};

/** The apps of an umbrella run one after another and write one report. */
const FORMATTER = `defmodule UmpireFormatter do
  use GenServer
  @report REPORT

  def init(_options), do: {:ok, []}

  def handle_cast({:test_finished, test}, cases), do: {:noreply, [show(test) | cases]}

  def handle_cast(event, cases) when is_tuple(event) and elem(event, 0) == :suite_finished do
    earlier =
      case File.read(@report) do
        {:ok, text} -> String.replace(text, "</testsuites>", "")
        _ -> "<testsuites>"
      end

    File.write!(@report, [earlier, "<testsuite>", Enum.reverse(cases), "</testsuite></testsuites>"])
    {:noreply, []}
  end

  def handle_cast(_event, cases), do: {:noreply, cases}

  defp show(%{name: name, module: module, state: state, time: time, tags: tags} = test) do
    place = ~s( file="#{text(tags[:file])}" line="#{tags[:line]}")
    named = ~s(classname="#{text(inspect(module))}" name="#{text(name)}" time="#{time / 1_000_000}")
    ["<testcase ", named, place, ">", ending(state, test), "</testcase>\\n"]
  end

  defp ending(nil, _test), do: ""
  defp ending({:skipped, why}, _test), do: ~s(<skipped message="#{text(why)}"/>)
  defp ending({:excluded, why}, _test), do: ~s(<skipped message="#{text(why)}"/>)
  defp ending({:invalid, %{state: {:failed, failures}}}, test), do: ending({:failed, failures}, test)
  defp ending({:invalid, _module}, _test), do: "<error>its module could not be set up</error>"

  defp ending({:failed, failures}, test) do
    shown = ExUnit.Formatter.format_test_failure(test, failures, 1, 80, fn _key, message -> message end)
    "<failure>#{text(shown)}</failure>"
  end

  defp text(value) do
    value
    |> to_string()
    |> String.replace("&", "&amp;")
    |> String.replace("<", "&lt;")
    |> String.replace("\\"", "&quot;")
    |> String.replace(~r/[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]/, "?")
  end
end
`;
