/** The status of a file in the packs folder, as shown to the operator. */
export type PackStatus = {
  file: string
  state: 'checking' | 'live' | 'rejected'
  /** Why the file is rejected: what was found and what was expected. */
  reason: string | null
  notes: string[]
  datasets: string[]
  bytes: number
  vintage: string | null
  licence: string | null
  attribution: string | null
}
