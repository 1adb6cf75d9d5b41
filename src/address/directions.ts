/** USPS Publication 28, section 233: from every way a direction is written, in English and Spanish, to its abbreviation. */
export const directionAbbreviations: ReadonlyMap<string, string> = new Map([
  ['N', 'N'], ['NORTH', 'N'], ['NO', 'N'], ['NORTE', 'N'], ['S', 'S'], ['SOUTH', 'S'], ['SO', 'S'], ['SUR', 'S'],
  ['E', 'E'], ['EAST', 'E'], ['ESTE', 'E'], ['W', 'W'], ['WEST', 'W'], ['OESTE', 'W'],
  ['NE', 'NE'], ['NORTHEAST', 'NE'], ['NW', 'NW'], ['NORTHWEST', 'NW'], ['SE', 'SE'], ['SOUTHEAST', 'SE'], ['SW', 'SW'], ['SOUTHWEST', 'SW'],
])
