// Whether a body asserts anything at all: it is walked through as far as its first assertion, and that is not written out.

import { BodyWalk } from './body.js';
import type { Parsed } from './checks.js';
import type { Place } from './place.js';
import type { Env } from './scope.js';
import type { Node } from './tree.js';

export class Glance extends BodyWalk {
  private isFound = false;

  get asserts(): boolean {
    return this.isFound || this.assertions.length > 0;
  }

  protected override statement(node: Node, env: Env, place: Place, own: boolean): void {
    if (!this.asserts) super.statement(node, env, place, own);
  }

  protected override assertion(node: Node, parsed: Parsed, env: Env, place: Place): void {
    if (parsed.drafts.length > 0) this.isFound = true;
    else super.assertion(node, parsed, env, place);
  }
}
