import { useState } from 'preact/hooks'

/**
 * The citation that is highlighted in the text and among the fields: the one under the pointer, else the selected one.
 */
export type Highlight = {
  source: number | null
  pressed: number | null
  /** Selects or deselects a citation and scrolls its counterpart into view. */
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
