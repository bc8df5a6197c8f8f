// The review table for @gorules/zen-engine: a JDM graph of an input, one decision table with hit policy "first", and
// an output. The decision is made once and reused; of the ways tried (loader, buffer, content object, no output node)
// none was faster. Its own trace is off unless asked for: with it, it is about half as fast.

import { ZenEngine } from '@gorules/zen-engine';

const literal = (value) => (typeof value === 'string' ? `'${value}'` : (value.fact ?? String(value)));

function cell(row, fact) {
  const test = row.when.find(([name]) => name === fact);
  if (test === undefined) return '';
  const [, comparison, value] = test;
  return comparison === '=' ? literal(value) : `${comparison} ${literal(value)}`;
}

function graph(rows) {
  const facts = [...new Set(rows.flatMap((row) => row.when.map(([fact]) => fact)))];
  const rules = rows.map((row, index) => ({
    _id: `row-${index}`,
    ...Object.fromEntries(facts.map((fact) => [`in-${fact}`, cell(row, fact)])),
    'out-id': literal(row.id),
    'out-outcome': literal(row.outcome),
  }));
  const inputs = facts.map((fact) => ({ id: `in-${fact}`, name: fact, type: 'expression', field: fact }));
  const outputs = ['id', 'outcome'].map((field) => ({ id: `out-${field}`, name: field, type: 'expression', field }));
  const position = { x: 0, y: 0 };
  return {
    contentType: 'application/vnd.gorules.decision',
    nodes: [
      { id: 'in', name: 'facts', type: 'inputNode', position },
      { id: 'table', name: 'review', type: 'decisionTableNode', position, content: { hitPolicy: 'first', inputs, outputs, rules } },
      { id: 'out', name: 'verdict', type: 'outputNode', position },
    ],
    edges: [
      { id: 'in-table', type: 'edge', sourceId: 'in', targetId: 'table' },
      { id: 'table-out', type: 'edge', sourceId: 'table', targetId: 'out' },
    ],
  };
}

/** Rows as in json-rules.mjs. With `trace`, each answer carries zen's own account of how it came about. */
export function zenPeer(rows, { trace = false } = {}) {
  const engine = new ZenEngine();
  const decision = engine.createDecision(graph(rows));
  const options = { trace };
  return {
    name: trace ? 'zen-engine with trace' : 'zen-engine',
    decide: trace
      ? async (facts) => (await decision.evaluate(facts, options)).result
      : async (facts) => (await decision.evaluate(facts)).result,
    close: () => engine.dispose(),
  };
}
