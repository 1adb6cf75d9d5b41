/** A file of the packs folder, for the operator. */
export type PackStatus = {
  file: string
  state: 'checking' | 'live' | 'rejected'
  /** Why it is refused: what was expected, and what was found. */
  reason: string | null
  notes: string[]
  datasets: string[]
  bytes: number
  vintage: string | null
  licence: string | null
  attribution: string | null
}
