/** Which names are towns, and what town and state a ZIP code belongs to. */
export type Gazetteer = {
  /** The states that have a town of the name (its words in capitals); none when there is no such town. */
  statesWithTown(words: readonly string[]): readonly string[]
  placeOfZip(zip: string): { city: string; state: string } | null
}
