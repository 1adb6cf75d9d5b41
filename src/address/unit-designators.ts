/**
 * Every name of a unit, to its standard abbreviation (USPS Publication 28, appendix C2, and boxes inside a building).
 */
export const unitAbbreviations: ReadonlyMap<string, string> = new Map(
  `APT APARTMENT APARTMNT, BLDG BUILDING BLDNG, BSMT BASEMENT, DEPT DEPARTMENT, FL FLOOR FLR, FRNT FRONT, HNGR HANGAR HANGER, KEY, LBBY LOBBY, LOT, LOWR LOWER, OFC OFFICE, PH PENTHOUSE, PIER,
  REAR, RM ROOM, SIDE, SLIP, SPC SPACE, STOP, STE SUITE SUIT, TRLR TRAILER, UNIT, UPPR UPPER, PMB, BOX, #`
    .split(',')
    .flatMap((line) => {
      const [standard = '', ...others] = line.trim().split(/\s+/)
      return [standard, ...others].map((word): [string, string] => [word, standard])
    }),
)

/** Units that need no number. */
export const standaloneUnits: ReadonlySet<string> = new Set([
  'BSMT',
  'FRNT',
  'LBBY',
  'LOWR',
  'OFC',
  'PH',
  'REAR',
  'SIDE',
  'UPPR',
])
