// A conversation of an agent as the text that a journal keeps: `ID`, or `ID#NOTE` with what is needed to continue it, such as its tokens so
// far, its cost so far or its folder.

export interface ConversationText {
  readonly id: string;
  readonly note: string;
}

/** Null where there is none, or where its id could be read as an option. */
export function readConversation(text: string | null): ConversationText | null {
  const [, id, , note = ''] = /^([A-Za-z0-9][\w.-]{0,199})(#(.*))?$/s.exec(text ?? '') ?? [];
  return id === undefined ? null : { id, note };
}

export function writeConversation({ id, note }: ConversationText): string {
  return note === '' ? id : `${id}#${note}`;
}
