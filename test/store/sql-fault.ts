/** A planted fault of a store: it executes other statements than it should. */
export type SqlFault = {
  /** Returns the faulty form of a statement. */
  changed(sql: string): string
  /** Whether a statement was changed. */
  isPlanted(): boolean
}

/** Creates the fault that replaces a part of all statements. */
export function sqlFault(pattern: RegExp, replacement: string): SqlFault {
  let planted = false
  return {
    changed(sql) {
      const changed = sql.replace(pattern, replacement)
      planted ||= changed !== sql
      return changed
    },
    isPlanted: () => planted,
  }
}
