import { textAnswer, type SimulatedService } from '../service.ts'
import { countiesOfStates } from './counties.ts'

/**
 * The radon zones of the EPA: JSON behind a byte order mark, counties by full state name and label, and a heading
 * without data for each state. Connecticut is listed by its former counties.
 */
export const radon: SimulatedService = {
  host: 'www.epa.gov',
  answer: ({ method, path }) =>
    method === 'GET' && path === '/system/files/other-files/2024-06/radon-zones-202406.json'
      ? textAnswer(`\uFEFF${JSON.stringify({ data })}`, 'application/json')
      : null,
}

// The zones are synthetic. The additional rows have names that are hard to match.
const data = [
  ...countiesOfStates.map(({ state, code, stateName, name }) => ({
    'County,State': `${name}, ${code}`,
    STATE: stateName,
    'COUNTY LABEL': name,
    Region: '8',
    Zone: state === '12' || state === '22' ? '3' : state === '06' || state === '36' ? '2' : '1',
  })),
  // The heading of a state.
  { 'County,State': 'ALABAMA', 'COUNTY LABEL': 'no data', STATE: 'no data', Region: 'no data', Zone: 'no data' },
  { STATE: 'Connecticut', 'COUNTY LABEL': 'Fairfield County', Zone: '1' },
  { STATE: 'Missouri', 'COUNTY LABEL': 'St. Louis County', Zone: '2' },
  { STATE: 'Missouri', 'COUNTY LABEL': 'St. Louis city', Zone: '3' },
  { STATE: 'Virginia', 'COUNTY LABEL': 'Fairfax city', Zone: '1' },
]
