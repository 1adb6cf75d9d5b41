/** Looks up town names and ZIP codes. */
export type Gazetteer = {
  /** The states that have a town of this name (words in capitals); empty if there is no such town. */
  statesWithTown(words: readonly string[]): readonly string[]
  /** The town and state of a five-digit ZIP code, or null. */
  placeOfZip(zip: string): { city: string; state: string } | null
}
