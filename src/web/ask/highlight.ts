import { useState } from 'preact/hooks'

/** Which source is lit, in the answer and among the fields: the one under the pointer, else the one that was pressed. */
export type Highlight = {
  source: number | null
  pressed: number | null
  /** Presses a source, or lets it go; its other side comes into sight. */
  toggle(id: number, scrollTo: 'fields' | 'text'): void
  hoverProps(id: number): {
    onMouseEnter: () => void
    onMouseLeave: () => void
    onFocus: () => void
    onBlur: () => void
  }
}

export function useHighlight(): Highlight {
  const [pressed, setPressed] = useState<number | null>(null)
  const [hovered, setHovered] = useState<number | null>(null)
  const leave = () => setHovered(null)
  return {
    source: hovered ?? pressed,
    pressed,
    toggle(id, scrollTo) {
      setPressed(pressed === id ? null : id)
      if (pressed !== id)
        document
          .querySelector(scrollTo === 'fields' ? `[data-source="${id}"]` : '.ask-text')
          ?.scrollIntoView({ block: 'nearest' })
    },
    hoverProps: (id) => ({
      onMouseEnter: () => setHovered(id),
      onMouseLeave: leave,
      onFocus: () => setHovered(id),
      onBlur: leave,
    }),
  }
}
