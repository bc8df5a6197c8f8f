// Markdown of agents and reports as elements. Nothing in it becomes raw HTML: tags are shown as text, pictures are not loaded, and only
// web addresses are links.

import type { ComponentChildren } from 'preact';
import { Lexer, type Token, type Tokens } from 'marked';

/** Longer texts are shown as they are: parsing them would make the page slow. */
const MOST_CHARACTERS = 300_000;
/** Deeper blocks are shown as text. */
const MOST_DEPTH = 12;

interface Place {
  readonly depth: number;
  /** The level of the last heading: none is skipped below it. */
  readonly heading: { level: number; readonly top: number };
}

/** `top`: the level of the heading above the text. */
export function markdownElements(text: string, top: number): ComponentChildren {
  if (text.length > MOST_CHARACTERS) return <pre class="text wrap">{text}</pre>;
  const tokens = new Lexer({ gfm: true }).lex(text);
  return blocks(tokens, { depth: 0, heading: { level: top, top } });
}

function blocks(tokens: readonly Token[], place: Place): ComponentChildren {
  if (place.depth > MOST_DEPTH) return tokens.map(({ raw }) => raw).join('');
  const inner: Place = { ...place, depth: place.depth + 1 };
  return tokens.map((token) => block(token as Tokens.Generic, inner));
}

function block(token: Tokens.Generic, place: Place): ComponentChildren {
  const children = (): ComponentChildren => blocks(token.tokens ?? [], place);
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return heading((token as Tokens.Heading).depth, children(), place);
    case 'paragraph':
      return <p>{children()}</p>;
    case 'blockquote':
      return <blockquote>{children()}</blockquote>;
    case 'code':
      return (
        <pre class="code" tabIndex={0}>
          {(token as Tokens.Code).text}
        </pre>
      );
    case 'list':
      return renderList(token as Tokens.List, place);
    case 'table':
      return table(token as Tokens.Table, place);
    case 'hr':
      return <hr />;
    case 'text':
      return token.tokens === undefined ? (token as Tokens.Text).text : children();
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'strong':
      return <strong>{children()}</strong>;
    case 'em':
      return <em>{children()}</em>;
    case 'del':
      return <del>{children()}</del>;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return link(token as Tokens.Link, children());
    case 'image':
      return `[picture: ${(token as Tokens.Image).text}]`;
    case 'html':
      // A comment says nothing to a person.
      return /^<!--[^]*-->\s*$/.test(token.raw) ? null : token.raw;
    default:
      return token.raw;
  }
}

const HEADINGS = ['h2', 'h3', 'h4', 'h5', 'h6'] as const;

function heading(depth: number, children: ComponentChildren, { heading }: Place): ComponentChildren {
  heading.level = Math.min(heading.top + depth, heading.level + 1, 6);
  const Heading = HEADINGS[heading.level - 2] ?? 'h6';
  return <Heading>{children}</Heading>;
}

function renderList({ ordered, start, items }: Tokens.List, place: Place): ComponentChildren {
  const rows = items.map(({ task, checked, tokens }) => (
    <li class={task ? 'check' : undefined}>
      {task ? (
        <span role="img" aria-label={checked === true ? 'done' : 'open'}>
          {checked === true ? '\u2611 ' : '\u2610 '}
        </span>
      ) : null}
      {blocks(
        tokens.filter(({ type }) => type !== 'checkbox'),
        place,
      )}
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>;
}

function table({ header, rows }: Tokens.Table, place: Place): ComponentChildren {
  return (
    <div class="wide" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }) => (
              <th scope="col">{blocks(tokens, place)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map(({ tokens }) => (
                <td>{blocks(tokens, place)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The address stands behind other words, so that nobody is led elsewhere. */
function link({ href, text }: Tokens.Link, children: ComponentChildren): ComponentChildren {
  if (!/^https?:\/\/[^\s/]/i.test(href)) return children;
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
      {text === href ? null : ` (${href})`}
    </>
  );
}
