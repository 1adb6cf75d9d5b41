/**
 * How the public interface spells the units that are spelled differently here, for the guide: our unit, and its
 * spellings there. A null: the interface states no unit.
 */
export const unitSpellings: Record<string, (string | null)[]> = {
  '%': ['percent', 'pct'],
  acres: ['acres', 'acre', null],
  class: [null],
  'cm/cm': ['cm/cm'],
  cm: ['centimeters', 'cm'],
  count: [null],
  degrees: ['degrees'],
  factor: [null],
  floors: [null],
  ft: ['feet'],
  'ft3/s': ['cubic feet per second'],
  'housing units': ['units'],
  index: [null],
  kV: ['kilovolts', 'kV'],
  m: ['meters', 'm', null],
  m2: ['square_meters'],
  MW: ['megawatts', 'MW', null],
  people: ['people', null],
  ratio: [null],
  year: [null],
}
