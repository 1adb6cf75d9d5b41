import { textAnswer, type SimulatedService } from '../service.ts'
import { countiesOfStates } from './counties.ts'

/**
 * The radon zones of the EPA: JSON behind a byte order mark, counties by state and label. Connecticut is listed by its
 * former counties.
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
  ...countiesOfStates.map(({ state, code, name }) => ({
    STATE: code,
    'COUNTY LABEL': name,
    Zone: state === '12' || state === '22' ? '3' : state === '06' || state === '36' ? '2' : '1',
  })),
  { STATE: 'CT', 'COUNTY LABEL': 'Fairfield County', Zone: '1' },
  { STATE: 'MO', 'COUNTY LABEL': 'St. Louis County', Zone: '2' },
  { STATE: 'MO', 'COUNTY LABEL': 'St. Louis city', Zone: '3' },
  { STATE: 'VA', 'COUNTY LABEL': 'Fairfax city', Zone: '1' },
]
