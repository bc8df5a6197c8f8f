// Shows Markdown. Its reader is half of all code of the page, so it is loaded with the first text.

import { useEffect, useMemo, useState } from 'preact/hooks';

type Render = (typeof import('./markdown-elements.js'))['markdownElements'];

let loaded: Render | null = null;

/** `top`: the level of the heading above the text. */
export function Markdown({ text, top = 2 }: { readonly text: string; readonly top?: number }) {
  const [render, setRender] = useState<{ readonly it: Render } | null>(loaded === null ? null : { it: loaded });
  useEffect(() => {
    if (render !== null) return;
    const load = async (): Promise<void> => {
      const { markdownElements } = await import('./markdown-elements.js');
      loaded = markdownElements;
      setRender({ it: markdownElements });
    };
    void load();
  }, []);
  const elements = useMemo(() => render?.it(text, top), [render, text, top]);
  return render === null ? <p class="prose">{text}</p> : <div class="markdown">{elements}</div>;
}
