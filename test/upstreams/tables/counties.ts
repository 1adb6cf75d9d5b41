/** The counties of the synthetic tables: those of the places, and one with a non-ASCII name. */
export const testCounties = [
  { state: '08', county: '013', code: 'CO', stateName: 'Colorado', name: 'Boulder County' },
  { state: '12', county: '086', code: 'FL', stateName: 'Florida', name: 'Miami-Dade County' },
  { state: '22', county: '071', code: 'LA', stateName: 'Louisiana', name: 'Orleans Parish' },
  { state: '20', county: '027', code: 'KS', stateName: 'Kansas', name: 'Clay County' },
  { state: '36', county: '061', code: 'NY', stateName: 'New York', name: 'New York County' },
  { state: '06', county: '007', code: 'CA', stateName: 'California', name: 'Butte County' },
  { state: '02', county: '020', code: 'AK', stateName: 'Alaska', name: 'Anchorage Municipality' },
  { state: '72', county: '127', code: 'PR', stateName: 'Puerto Rico', name: 'San Juan Municipio' },
  { state: '35', county: '013', code: 'NM', stateName: 'New Mexico', name: 'Doña Ana County' },
] as const

export type County = (typeof testCounties)[number]

/** The five-digit FIPS code of a county. */
export function fipsOf({ state, county }: County): string {
  return state + county
}

/** All counties except Puerto Rico, which several tables omit. */
export const countiesOfStates = testCounties.filter((one) => one.state !== '72')
