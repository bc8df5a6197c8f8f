// Small valid reports of every format for the fuzz tests. They are small so that a hundred thousand mutants take seconds.

const JUNIT = [
  '<?xml version="1.0"?><testsuites tests="3" failures="1"><testsuite name="s"><testcase classname="a.b" name="t &lt;1" time="0.5"/><testcase name="u"><failure message="m" type="T">x\n at y</failure></testcase><testcase name="v"><skipped/></testcase></testsuite></testsuites>',
  '<testsuite name="s"><properties><property name="p" value="v"/></properties><testcase name="t" file="a.py" line="3"><error><![CDATA[e ]]></error><system-out>o</system-out></testcase><testcase name="t" status="notrun"/><testcase name="r"><rerunFailure/><flakyFailure message="f"/></testcase></testsuite>',
  '<testsuite name="s" tests="1"><testcase classname="a" name="t" time="1e3"/></testsuite>',
];

const COBERTURA = [
  '<?xml version="1.0"?><!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd"><coverage line-rate="0.5" branch-rate="0.5"><sources><source>/project</source></sources><packages><package name="p"><classes><class name="C" filename="src/a.py"><methods><method name="m" signature="()"><lines><line number="1" hits="1"/></lines></method></methods><lines><line number="1" hits="1"/><line number="2" hits="0" branch="true" condition-coverage="50% (1/2)"/></lines></class></classes></package></packages></coverage>',
];

const CLOVER = [
  '<?xml version="1.0"?><coverage generated="1"><project timestamp="1"><metrics statements="2" coveredstatements="1"/><file name="a.php" path="/project/a.php"><class name="A"><metrics methods="1"/></class><line num="1" type="stmt" count="1"/><line num="2" type="cond" truecount="1" falsecount="0" count="1"/><line num="3" type="method" name="m" count="0"/><metrics loc="3"/></file></project></coverage>',
];

const CHECKSTYLE = [
  '<?xml version="1.0"?><checkstyle version="8"><file name="/project/a.js"><error line="3" column="1" severity="error" message="m &quot;q&quot;" source="eslint.rules.x"/><error line="4" severity="warning" message="w"/></file><file name="b.js"/></checkstyle>',
  '<checkstyle><file name="a.js"><error line="1" severity="info" message="m"/></file></checkstyle>',
];

const SARIF = [
  '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"t","rules":[{"id":"r","defaultConfiguration":{"level":"error"},"properties":{"security-severity":"9.1"}}]}},"results":[{"ruleId":"r","ruleIndex":0,"level":"warning","message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.ts"},"region":{"startLine":3}}}],"partialFingerprints":{"f/v1":"abc"}},{"ruleId":"r","kind":"pass","message":{"text":"n"}}]}]}',
  '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":[{"ruleId":"r","level":"note","message":{"text":"m"}}]}]}',
];

const JEST = [
  '{"numTotalTests":3,"numFailedTests":1,"success":false,"testResults":[{"name":"/project/a.test.js","status":"failed","message":"","assertionResults":[{"ancestorTitles":["s"],"title":"t","status":"passed","duration":2},{"ancestorTitles":[],"fullName":"u","title":"u","status":"failed","failureMessages":["Error: x"],"location":{"line":3,"column":1}},{"ancestorTitles":[],"title":"v","status":"pending"}]}]}',
  '{"numTotalTests":1,"numPassedTests":1,"success":true,"testResults":[{"name":"/project/a.test.js","status":"passed","assertionResults":[{"ancestorTitles":[],"title":"t","status":"passed"}]}]}',
];

const ISTANBUL = [
  '{"/project/a.js":{"path":"/project/a.js","statementMap":{"0":{"start":{"line":1,"column":0},"end":{"line":1,"column":9}},"1":{"start":{"line":2,"column":0},"end":{"line":2,"column":9}}},"fnMap":{"0":{"name":"f","line":1,"decl":{"start":{"line":1}},"loc":{"start":{"line":1}}}},"branchMap":{"0":{"type":"if","line":1,"loc":{"start":{"line":1}},"locations":[{"start":{"line":1}},{"start":{"line":1}}]}},"s":{"0":1,"1":0},"f":{"0":1},"b":{"0":[1,0]}}}',
];

const ISTANBUL_SUMMARY = [
  '{"total":{"lines":{"total":4,"covered":3,"skipped":0,"pct":75},"statements":{"total":4,"covered":3,"skipped":0,"pct":75},"functions":{"total":1,"covered":1,"skipped":0,"pct":100},"branches":{"total":2,"covered":1,"skipped":0,"pct":50}},"/project/a.js":{"lines":{"total":4,"covered":3,"skipped":0,"pct":75},"statements":{"total":4,"covered":3,"skipped":0,"pct":75},"functions":{"total":1,"covered":1,"skipped":0,"pct":100},"branches":{"total":2,"covered":1,"skipped":0,"pct":50}}}',
];

const LCOV = [
  'TN:\nSF:/project/a.js\nFN:1,f\nFN:4,9,g\nFNDA:1,f\nFNDA:0,g\nFNF:2\nFNH:1\nDA:1,1\nDA:2,0\nLF:2\nLH:1\nBRDA:1,0,0,1\nBRDA:1,0,1,-\nBRF:2\nBRH:1\nend_of_record\nSF:b.js\nFNL:0,3,5\nFNA:0,2,h\nDA:3,1,abc\nend_of_record\n',
];

const TSC = [
  "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\n  Types differ.\nsrc/b.ts(1,1): warning TS6133: w\nerror TS6053: File not found.\n",
  '12:00:00 AM - Starting compilation in watch mode...\n\n\u001b[96ma.ts\u001b[0m:\u001b[93m1\u001b[0m:\u001b[93m7\u001b[0m - \u001b[91merror\u001b[0m\u001b[90m TS1: \u001b[0mm\n\n1 x\n  ~\n\nFound 1 error in a.ts:1\n',
  '12:00:00 AM - Starting compilation in watch mode...\n\n12:00:01 AM - Found 0 errors. Watching for file changes.\n',
];

const TAP = [
  "TAP version 13\n# Subtest: s\n    # Subtest: a\n    ok 1 - a\n      ---\n      duration_ms: 1.5\n      ...\n    not ok 2 - b # TODO later\n    1..2\nok 1 - s\n  ---\n  type: 'suite'\n  ...\nnot ok 2 - c\n  ---\n  location: '/project/a.js:1:2'\n  error: |-\n    boom\n  ...\n1..2\n# tests 3\n# fail 1\n",
  '1..3\nok 1 - x {\n    ok 1\n    1..1\n}\nok 2 # SKIP\nBail out! no disk\n',
  'TAP version 14\n1..2\nok 1 - a # time=1ms\nok 2 - b # SKIP no net\n# tests 2\n# fail 0\n',
];

const MOCHA = [
  '{"stats":{"suites":1,"tests":3,"passes":1,"pending":1,"failures":1},"tests":[{"title":"a","fullTitle":"s a","file":"/project/a.js","duration":1,"currentRetry":0,"err":{}},{"title":"b","fullTitle":"s b","file":"/project/a.js","err":{"message":"m","stack":"Error: m"}},{"title":"c","fullTitle":"s c","err":{}}],"pending":[{"title":"c","fullTitle":"s c","err":{}}],"failures":[{"title":"b","fullTitle":"s b","file":"/project/a.js","err":{"message":"m"}}],"passes":[{"title":"a","fullTitle":"s a","file":"/project/a.js","err":{}}]}',
  '{"stats":{"tests":1,"passes":1,"pending":0,"failures":0},"tests":[{"title":"a","fullTitle":"a","err":{}}],"pending":[],"failures":[],"passes":[{"title":"a","fullTitle":"a","err":{}}]}',
];

const CTRF = [
  '{"reportFormat":"CTRF","specVersion":"0.0.0","results":{"tool":{"name":"t"},"summary":{"tests":2,"passed":1,"failed":1,"pending":0,"skipped":0,"other":0,"start":1,"stop":2},"tests":[{"name":"a","status":"passed","duration":1,"suite":"s"},{"name":"b","status":"failed","duration":2,"message":"m","filePath":"a.js","line":3,"retries":1,"flaky":false}]}}',
  '{"results":{"tool":{"name":"t"},"summary":{"tests":1,"passed":1,"failed":0},"tests":[{"name":"a","status":"passed","duration":1}]}}',
];

const RSPEC = [
  '{"version":"3.12.0","examples":[{"id":"./a_spec.rb[1:1]","description":"a","full_description":"G a","status":"passed","file_path":"./a_spec.rb","line_number":2,"run_time":0.1,"pending_message":null},{"description":"b","full_description":"G b","status":"failed","file_path":"./a_spec.rb","line_number":3,"exception":{"class":"E","message":"m"}},{"description":"c","full_description":"G c","status":"pending"}],"summary":{"example_count":3,"failure_count":1,"pending_count":1,"errors_outside_of_examples_count":0},"summary_line":"3 examples, 1 failure, 1 pending"}',
  '{"version":"3.12.0","examples":[{"description":"a","full_description":"G a","status":"passed","file_path":"./a_spec.rb"}],"summary":{"example_count":1,"failure_count":0,"pending_count":0,"errors_outside_of_examples_count":0}}',
];

const GO_JSON = [
  '{"Time":"t","Action":"run","Package":"p","Test":"TestA"}\n{"Time":"t","Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:9: m\\n"}\n{"Time":"t","Action":"fail","Package":"p","Test":"TestA","Elapsed":0.1}\n{"Action":"run","Package":"p","Test":"TestB/c"}\n{"Action":"skip","Package":"p","Test":"TestB/c","Elapsed":0}\n{"Action":"fail","Package":"p","Elapsed":0.2}\nFAIL\tq [build failed]\n',
  '{"Action":"start","Package":"p"}\n{"Action":"run","Package":"p","Test":"TestA"}\n{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0}\n{"Action":"output","Package":"p","Output":"ok  \\tp\\t(cached)\\n"}\n{"Action":"pass","Package":"p","Elapsed":0}\n',
];

const GO_TEXT = [
  '# p/bad\n./a.go:1:2: undefined: x\n=== RUN   TestA\n=== RUN   TestA/b\n    a_test.go:9: m\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n=== RUN   TestC\n--- SKIP: TestC (0.00s)\nFAIL\nFAIL\tp\t0.003s\nFAIL\tp/bad [build failed]\n?   \tp/none\t[no test files]\nFAIL\n',
  '=== RUN   TestA\nx--- PASS: TestA (0.00s)\nPASS\nok  \tp\t0.001s\tcoverage: 80.0% of statements\n',
  'ok  \tp\t(cached)\nok  \tq\t0.001s [no tests to run]\n',
];

const CARGO = [
  "     Running unittests src/lib.rs (target/debug/deps/p-70bfae1b6bd9477e)\n\nrunning 3 tests\ntest a::b ... ok\ntest a::c - should panic ... FAILED\ntest d ... ignored, later\n\nfailures:\n\n---- a::c stdout ----\n\nthread 'a::c' panicked at src/lib.rs:9:5:\nm\n\n\nfailures:\n    a::c\n\ntest result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nerror: test failed, to rerun pass `--lib`\n",
  '\nrunning 1 test\ntest src/lib.rs - add (line 7) ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.00s\n',
  '{"type":"suite","event":"started","test_count":1}\n{"type":"test","name":"a","event":"ok","exec_time":0.1}\n{"type":"suite","event":"ok","passed":1,"failed":0,"ignored":0,"measured":0,"filtered_out":0}\n',
];

const NEXTEST = [
  "    Starting 4 tests across 2 binaries (1 test skipped)\n        SKIP [         ] (───) p a::s\n        PASS [   0.004s] (1/4) p a::b\n  TRY 1 FAIL [   0.006s] (───) p a::c\n  stderr ───\n\n    thread 'a::c' panicked at src/lib.rs:9:5:\n    m\n\n  TRY 2 PASS [   0.005s] (2/4) p a::c\n        FAIL [   0.006s] (3/4) p::it d\n     SIGSEGV [   0.006s] (4/4) p::bin/x e\n────────────\n     Summary [   0.020s] 4 tests run: 2 passed (1 flaky), 2 failed, 1 skipped\n   FLAKY 2/2 [   0.005s] (2/4) p a::c\nerror: test run failed\n",
  '    Starting 1 tests across 1 binaries\n   1/2 RETRY [   0.006s] p a\n\n--- TRY 1 STDERR:        p a ---\nx\n  TRY 2 PASS [   0.003s] p a\n     Summary [   0.009s] 1 tests run: 1 passed (1 flaky), 0 skipped\n',
];

const UNITTEST = [
  'test_a (m.T.test_a) ... ok\ntest_b (m.T.test_b)\nWords. ... FAIL\ntest_c (m.T) ... skipped \'x\'\ntest_d (m.T.test_d) ... x\nERROR\n\n======================================================================\nFAIL: test_b (m.T.test_b)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File "/project/m.py", line 8, in test_b\n    x\nAssertionError: 1 != 2\n\n----------------------------------------------------------------------\nRan 4 tests in 0.003s\n\nFAILED (failures=1, errors=1, skipped=1)\n',
  '..\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nOK\n',
];

const MINITEST = [
  'Run options: --verbose --seed 1\n\n# Running:\n\nT#test_a = x\n0.00 s = F\nT#test_b = 0.00 s = .\nS::when#test_0001_c = 0.00 s = S\n\nFinished in 0.1s\n\n  1) Failure:\nT#test_a [test/t.rb:11]:\nExpected: 2\n  Actual: 1\n\n3 runs, 3 assertions, 1 failures, 0 errors, 1 skips\n',
  'Run options: --seed 1\n\n# Running:\n\n..\n\n2 runs, 3 assertions, 0 failures, 0 errors, 0 skips\n',
];

const PHPUNIT_TEXT = [
  'PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n.FS\n\nThere was 1 failure:\n\n1) T::testA with data set "x" (1, 2)\nFailed asserting that 2 is identical to 1.\n\n/project/tests/T.php:7\n\nFAILURES!\nTests: 3, Assertions: 3, Failures: 1, Skipped: 1.\n',
  'PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\nCart\n ✔ Counts [2.02 ms]\n ✘ Remove\n   │\n   │ m\n\nTests: 2, Assertions: 2, Failures: 1.\n',
  'PHPUnit 10.5.1 by Sebastian Bergmann and contributors.\n\n..  2 / 2 (100%)\n\nOK (2 tests, 2 assertions)\n',
];

const EXUNIT = [
  'T [test/t_test.exs]\n  * test a [L#6]\r  * test a (0.00ms) [L#6]\n  * test b [L#9]x\n\r  * test b (2.7ms) [L#9]\n\n  1) test b (T)\n     test/t_test.exs:9\n     Assertion with == failed\n     left:  3\n     stacktrace:\n       test/t_test.exs:10: (test)\n\n  * test c (skipped) [L#17]\n\n1 doctest, 2 tests, 1 failure, 1 skipped\n',
  '..\nFinished in 0.03 seconds\n2 tests, 0 failures\n',
];

const CTEST_TEXT = [
  'Test project /project/build\n    Start 1: a\n1/3 Test #1: a ......   Passed    0.00 sec\n    Start 2: b b\n2/3 Test #2: b b ....***Failed    0.00 sec\nm\n    Start 3: c\n3/3 Test #3: c ......***Not Run (Disabled)   0.00 sec\n\n50% tests passed, 1 tests failed out of 2\n',
  'Test project /project/build\n    Start 1: a\n1/1 Test #1: a ......   Passed    0.00 sec\n\n100% tests passed, 0 tests failed out of 1\n',
];

const PLAYWRIGHT = [
  '{"config":{"rootDir":"/project/test"},"suites":[{"title":"a.spec.ts","file":"a.spec.ts","specs":[{"title":"t","file":"a.spec.ts","line":4,"tests":[{"projectName":"p","status":"unexpected","results":[{"status":"failed","duration":3,"errors":[{"message":"m"}]}]}]}],"suites":[{"title":"g","file":"a.spec.ts","specs":[{"title":"u","file":"a.spec.ts","line":9,"tests":[{"projectName":"","status":"skipped","results":[]}]}]}]}],"errors":[],"stats":{"expected":0,"skipped":1,"unexpected":1,"flaky":0}}',
  '{"config":{},"suites":[{"title":"a.spec.ts","file":"a.spec.ts","specs":[{"title":"t","file":"a.spec.ts","line":4,"tests":[{"status":"expected","results":[{"status":"passed","duration":3}]}]}]}],"errors":[],"stats":{"expected":1,"unexpected":0,"flaky":0}}',
];

const TRX = [
  '<?xml version="1.0"?><TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results><UnitTestResult testId="1" testName="N.C.A" duration="00:00:00.1" outcome="Passed"/><UnitTestResult testId="2" testName="B" outcome="Failed"><Output><ErrorInfo><Message>m</Message></ErrorInfo></Output></UnitTestResult></Results><TestDefinitions><UnitTest id="1"><TestMethod className="N.C" name="A"/></UnitTest></TestDefinitions><ResultSummary outcome="Failed"><Counters failed="1" error="0"/></ResultSummary></TestRun>',
  '<TestRun><Results><UnitTestResult testId="1" testName="A" outcome="Passed"/></Results><ResultSummary outcome="Completed"><Counters failed="0"/></ResultSummary></TestRun>',
];

const GO_COVER = [
  'mode: set\nexample.com/p/a.go:3.20,5.2 2 1\nexample.com/p/a.go:7.20,9.2 1 0\nexample.com/p/b.go:1.1,1.9 1 0\n',
  'mode: count\na.go:3.20,5.2 2 12\na.go:3.20,5.2 2 0\n',
];

const JACOCO = [
  '<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="r"><sessioninfo id="s" start="1" dump="2"/><package name="p/q"><class name="p/q/A" sourcefilename="A.java"><method name="m" desc="()V" line="3"><counter type="LINE" missed="1" covered="0"/></method></class><sourcefile name="A.java"><line nr="3" mi="3" ci="0" mb="0" cb="0"/><line nr="5" mi="0" ci="4" mb="2" cb="2"/><counter type="INSTRUCTION" missed="3" covered="4"/><counter type="LINE" missed="1" covered="1"/></sourcefile></package><counter type="LINE" missed="1" covered="1"/></report>',
];

const SIMPLECOV = [
  '{"RSpec":{"coverage":{"/project/a.rb":{"lines":[1,null,0,3],"branches":{"[:if, 0, 3, 4, 7, 7]":{"[:then, 1, 4, 6, 4, 11]":1,"[:else, 2, 4, 6, 6, 7]":0}}}},"timestamp":1}}',
  '{"meta":{"simplecov_version":"0.22.0"},"coverage":{"/project/a.rb":{"lines":[1,"ignored",0],"branches":[{"type":"then","start_line":1,"end_line":1,"coverage":1}]}},"groups":{}}',
];

const CLIPPY = [
  '{"reason":"compiler-message","package_id":"p","message":{"rendered":"w","$message_type":"diagnostic","children":[],"code":{"code":"clippy::needless_return","explanation":null},"level":"warning","message":"m","spans":[{"file_name":"src/lib.rs","line_start":3,"line_end":3,"column_start":5,"is_primary":true}]}}\n{"reason":"compiler-message","message":{"level":"error","code":null,"message":"e","spans":[]}}\n{"reason":"build-finished","success":false}\n',
  '{"reason":"compiler-artifact","package_id":"p","fresh":true}\n{"reason":"build-finished","success":true}\n',
  '{"$message_type":"diagnostic","message":"m","code":{"code":"E0308"},"level":"error","spans":[{"file_name":"a.rs","line_start":1,"line_end":2,"is_primary":true}]}\n',
];

const V8 = [
  '{"result":[{"scriptId":"1","url":"file:///project/a.js","functions":[{"functionName":"","ranges":[{"startOffset":0,"endOffset":100,"count":1}],"isBlockCoverage":true},{"functionName":"f","ranges":[{"startOffset":10,"endOffset":50,"count":1},{"startOffset":20,"endOffset":30,"count":0}],"isBlockCoverage":true}]}]}',
];

const STRYKER = [
  '{"schemaVersion":"1","thresholds":{"high":80,"low":60},"files":{"src/a.js":{"language":"javascript","source":"a","mutants":[{"id":"1","mutatorName":"StringLiteral","replacement":"x","location":{"start":{"line":2,"column":1},"end":{"line":2,"column":3}},"status":"Survived"},{"id":"2","mutatorName":"Block","location":{"start":{"line":3,"column":1},"end":{"line":3,"column":2}},"status":"Killed"}]}}}',
];

const ESLINT = [
  '[{"filePath":"/project/a.js","messages":[{"ruleId":"no-undef","severity":2,"message":"x is not defined.","line":1,"column":1},{"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error","line":2,"column":1}],"suppressedMessages":[],"errorCount":2,"warningCount":0},{"filePath":"/project/b.js","messages":[],"errorCount":0,"warningCount":0}]',
  '[{"filePath":"/project/a.js","messages":[{"ruleId":"eqeqeq","severity":1,"message":"m","line":1}],"errorCount":0,"warningCount":1}]',
];

const OXLINT = [
  '{"diagnostics":[{"message":"m","code":"eslint(no-debugger)","severity":"warning","causes":[],"url":"u","help":"h","filename":"a.js","labels":[{"span":{"offset":0,"length":9,"line":1,"column":1}}],"related":[]}],"number_of_files":1,"number_of_rules":90,"threads_count":2,"start_time":0.1}',
];

const BIOME = [
  '{"summary":{"changed":0,"unchanged":1,"errors":1,"warnings":0},"diagnostics":[{"category":"lint/suspicious/noDebugger","severity":"error","description":"d","message":[{"elements":[],"content":"m"}],"location":{"path":{"file":"a.js"},"span":[0,9],"sourceCode":"debugger;"}}],"command":"lint"}',
  '{"summary":{"errors":0,"warnings":1},"diagnostics":[{"category":"lint/a","severity":"warning","description":"d","location":{"path":"a.js"}}],"command":"lint"}',
];

const RUFF = [
  '[{"cell":null,"code":"F401","end_location":{"column":10,"row":1},"filename":"/project/a.py","fix":{"applicability":"safe","edits":[{"content":"","end_location":{"column":1,"row":2},"location":{"column":1,"row":1}}],"message":"Remove unused import"},"location":{"column":8,"row":1},"message":"`os` imported but unused","noqa_row":1,"url":"u"},{"cell":null,"code":null,"end_location":{"column":1,"row":4},"filename":"b.py","fix":null,"location":{"column":12,"row":3},"message":"SyntaxError: x","noqa_row":null,"url":null}]',
  '[{"cell":null,"code":"W291","end_location":{"column":3,"row":1},"filename":"src/a.py","fix":null,"location":{"column":1,"row":1},"message":"Trailing whitespace","noqa_row":1,"url":"u"}]',
];

const PYLINT = [
  '[{"type":"warning","module":"a","obj":"","line":3,"column":0,"endLine":3,"endColumn":9,"path":"a.py","symbol":"unused-import","message":"Unused import os","message-id":"W0611"}]',
  '{"messages":[{"type":"error","symbol":"undefined-variable","message":"m","messageId":"E0602","confidence":"HIGH","module":"a","obj":"f","line":1,"column":1,"endLine":1,"endColumn":4,"path":"a.py","absolutePath":"/project/a.py"}],"statistics":{"messageTypeCount":{"fatal":0,"error":1,"warning":0,"refactor":0,"convention":0,"info":0},"modulesLinted":1,"score":0.0}}',
];

const PYRIGHT = [
  '{"version":"1.1.0","time":"1","generalDiagnostics":[{"file":"/project/a.py","severity":"error","message":"m","range":{"start":{"line":5,"character":11},"end":{"line":6,"character":0}},"rule":"reportOperatorIssue"},{"file":"/project/b.py","severity":"information","message":"n"}],"summary":{"filesAnalyzed":2,"errorCount":1,"warningCount":0,"informationCount":1,"timeInSec":0.1}}',
  '{"version":"1.1.400","time":"1","generalDiagnostics":[],"summary":{"filesAnalyzed":2,"errorCount":0,"warningCount":0,"informationCount":0,"timeInSec":0.5}}',
];

const BANDIT = [
  '{"errors":[{"filename":"./b.py","reason":"syntax error while parsing AST from file"}],"generated_at":"2026-01-01T00:00:00Z","metrics":{"_totals":{"loc":2},"./a.py":{"loc":2}},"results":[{"code":"1 a","filename":"./a.py","issue_confidence":"HIGH","issue_severity":"MEDIUM","issue_text":"t","line_number":2,"line_range":[2,3],"more_info":"u","test_id":"B303","test_name":"blacklist"}]}',
  '{"errors":[],"generated_at":"2026-01-01T00:00:00Z","metrics":{"_totals":{"loc":2},"./a.py":{"loc":2}},"results":[]}',
];

const MYPY = [
  'a.py:3:7: error: Name "x" is not defined  [name-defined]\na.py:3:7: note: Did you mean y?\nFound 1 error in 1 file (checked 2 source files)\n',
  'a.py:1: error: invalid syntax  [syntax]\nFound 1 error in 1 file (errors prevented further checking)\n',
  'Success: no issues found in 3 source files\n',
  '{"file": "a.py", "line": 3, "column": 7, "message": "m", "hint": null, "code": "name-defined", "severity": "error"}\n',
];

const FLAKE8 = [
  "a.py:1:1: F401 'os' imported but unused\nimport os\n^\na.py:8:50: W291 trailing whitespace\n2          total files processed\n",
  'C:\\x\\a.py:21:91: E501 Line too long (111 > 90)\nFound 1 error.\n',
];

const AXE = [
  '{"testEngine":{"name":"axe-core","version":"4"},"url":"http://example.com/","violations":[{"id":"html-has-lang","impact":"serious","help":"h","helpUrl":"u","tags":["wcag2a"],"nodes":[{"html":"<html>","impact":"serious","target":["html"],"failureSummary":"f"}]}],"passes":[],"incomplete":[],"inapplicable":[]}',
  '{"testEngine":{"name":"axe-core"},"violations":[{"id":"r","impact":"minor","help":"h","nodes":[{"target":["a"]}]}],"passes":[],"incomplete":[]}',
];

const DTCG = [
  '{"color":{"$type":"color","base":{"$value":{"colorSpace":"srgb","components":[1,0,0.5],"alpha":1,"hex":"#ff0080"}},"alias":{"$value":"{color.base}","$description":"d"}},"space":{"small":{"$type":"dimension","$value":{"value":4,"unit":"px"}}}}',
];

const COVERAGE_PY = [
  '{"meta":{"format":3,"version":"7.16.2","timestamp":"2026-01-01T00:00:00","branch_coverage":true,"show_contexts":false},"files":{"src/a.py":{"executed_lines":[1,3],"summary":{"covered_lines":2,"num_statements":3,"num_branches":2,"covered_branches":1},"missing_lines":[4],"excluded_lines":[7],"executed_branches":[[3,4]],"missing_branches":[[3,-1]]}},"totals":{"covered_lines":2,"num_statements":3,"num_branches":2,"covered_branches":1}}',
  '{"meta":{"version":"6.5.0","branch_coverage":false,"show_contexts":false},"files":{},"totals":{"covered_lines":0,"num_statements":0}}',
];

export const REPORT_SEEDS: Readonly<Record<string, readonly string[]>> = {
  junit: JUNIT,
  cobertura: COBERTURA,
  clover: CLOVER,
  checkstyle: CHECKSTYLE,
  sarif: SARIF,
  jest: JEST,
  istanbul: ISTANBUL,
  'istanbul-summary': ISTANBUL_SUMMARY,
  lcov: LCOV,
  tsc: TSC,
  tap: TAP,
  mocha: MOCHA,
  rspec: RSPEC,
  'go-json': GO_JSON,
  'go-text': GO_TEXT,
  playwright: PLAYWRIGHT,
  trx: TRX,
  'go-cover': GO_COVER,
  jacoco: JACOCO,
  simplecov: SIMPLECOV,
  nextest: NEXTEST,
  cargo: CARGO,
  clippy: CLIPPY,
  unittest: UNITTEST,
  minitest: MINITEST,
  'phpunit-text': PHPUNIT_TEXT,
  exunit: EXUNIT,
  'ctest-text': CTEST_TEXT,
  ctrf: CTRF,
  v8: V8,
  stryker: STRYKER,
  eslint: ESLINT,
  oxlint: OXLINT,
  biome: BIOME,
  ruff: RUFF,
  pylint: PYLINT,
  pyright: PYRIGHT,
  bandit: BANDIT,
  mypy: MYPY,
  flake8: FLAKE8,
  axe: AXE,
  dtcg: DTCG,
  'coverage-py': COVERAGE_PY,
};
