import { useState } from 'preact/hooks'

/** Which source is lit, in the answer and among the fields: the one under the pointer, else the one that was pressed. */
export type Lighting = {
  lit: number | null
  pressed: number | null
  /** Presses a source, or lets it go; its other side comes into sight. */
  press(id: number, other: 'fields' | 'text'): void
  pointing(id: number): { onMouseEnter: () => void; onMouseLeave: () => void; onFocus: () => void; onBlur: () => void }
}

export function useLighting(): Lighting {
  const [pressed, setPressed] = useState<number | null>(null)
  const [under, setUnder] = useState<number | null>(null)
  const leave = () => setUnder(null)
  return {
    lit: under ?? pressed,
    pressed,
    press(id, other) {
      setPressed(pressed === id ? null : id)
      if (pressed !== id)
        document
          .querySelector(other === 'fields' ? `[data-source="${id}"]` : '.ask-text')
          ?.scrollIntoView({ block: 'nearest' })
    },
    pointing: (id) => ({
      onMouseEnter: () => setUnder(id),
      onMouseLeave: leave,
      onFocus: () => setUnder(id),
      onBlur: leave,
    }),
  }
}
