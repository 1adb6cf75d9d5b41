/** Troubles that come again and again until they are over, each by its name. */
export type Spells = {
  came(name: string, error: unknown): void
  /** It works: whatever trouble of that name there was is over. */
  ended(name: string): void
}

/** How often a trouble came, and for how long it lasted. */
export type Spell = { times: number; seconds: number }

type Telling = { begun(name: string, error: unknown): void; over(name: string, spell: Spell): void }

/** Tells of a trouble when it begins, and how often it came when it is over; not every time. */
export function openSpells({ begun, over }: Telling): Spells {
  const lasting = new Map<string, { times: number; since_ms: number }>()
  return {
    came(name, error) {
      const known = lasting.get(name)
      if (known) known.times++
      else {
        lasting.set(name, { times: 1, since_ms: performance.now() })
        begun(name, error)
      }
    },
    ended(name) {
      const known = lasting.get(name)
      if (!known) return
      lasting.delete(name)
      over(name, { times: known.times, seconds: Math.round((performance.now() - known.since_ms) / 1000) })
    },
  }
}
