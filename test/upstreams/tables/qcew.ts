import { textAnswer, type SimulatedService } from '../service.ts'
import { testCounties } from './counties.ts'
import { words } from '../../support/words.ts'

/**
 * The Quarterly Census of Employment and Wages: a CSV for each county and quarter. A quarter is the header alone until
 * about 160 days after its end, and 404 before it ends.
 */
export const qcew: SimulatedService = {
  host: 'data.bls.gov',
  answer({ method, path }) {
    const requested = /^\/cew\/data\/api\/(\d{4})\/([1-4])\/area\/(\d{5})\.csv$/.exec(path)
    if (!requested || method !== 'GET') return null
    const [, year, quarter, fips] = requested
    const county = [...testCounties, openCountry, ...neighborsOfBoulder].find((one) => one.state + one.county === fips)
    const end = Date.UTC(Number(year), 3 * Number(quarter), 1)
    if (!county || Date.now() < end)
      return textAnswer(
        '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN"><html><head><title>404 Not Found</title></head></html>',
        'text/html',
        404,
      )
    if (Date.now() < end + 160 * 86_400_000) return textAnswer(`${header}\n`, 'text/csv')
    return textAnswer([header, ...rowsOf(county, year!, quarter!)].join('\n'), 'text/csv')
  },
}

/** A county without a test place, in Nebraska: its job counts are not disclosed. */
const openCountry = { state: '31', county: '041' }

/** The counties whose bounding boxes touch that of Boulder County. */
const neighborsOfBoulder = ['001', '014', '019', '031', '047', '049', '059', '069', '123'].map((county) => ({
  state: '08',
  county,
}))

const columns = [
  'area_fips',
  'own_code',
  'industry_code',
  'agglvl_code',
  'size_code',
  'year',
  'qtr',
  'disclosure_code',
  'qtrly_estabs',
  'month1_emplvl',
  'month2_emplvl',
  'month3_emplvl',
  'total_qtrly_wages',
  'taxable_qtrly_wages',
  'qtrly_contributions',
  'avg_wkly_wage',
  ...words`
    disclosure_code qtrly_estabs month1_emplvl month2_emplvl month3_emplvl total_qtrly_wages taxable_qtrly_wages
    qtrly_contributions avg_wkly_wage
  `.map((name) => `lq_${name}`),
  'oty_disclosure_code',
  ...words`
    qtrly_estabs month1_emplvl month2_emplvl month3_emplvl total_qtrly_wages taxable_qtrly_wages qtrly_contributions
    avg_wkly_wage
  `.flatMap((name) => [`oty_${name}_chg`, `oty_${name}_pct_chg`]),
]
const header = columns.map((name) => `"${name}"`).join(',')

// The job counts are synthetic. Those of Clay County, Kansas, are not disclosed, by N; those of Orleans Parish by the
// dash that is in use since the end of 2025. The publisher writes zeros.
function rowsOf({ state, county }: { state: string; county: string }, year: string, quarter: string): string[] {
  const jobs = 10_000 + 1_000 * Number(state)
  const hidden = state === '20' || state === '31' ? 'N' : state === '22' ? '-' : ''
  const row = (own: string, industry: string, level: string, employed: number, change: number) =>
    columns
      .map((name) => {
        const codes: Record<string, string> = {
          area_fips: state + county,
          own_code: own,
          industry_code: industry,
          agglvl_code: level,
          size_code: '0',
          year,
          qtr: quarter,
          disclosure_code: hidden,
          lq_disclosure_code: hidden,
          oty_disclosure_code: hidden,
        }
        if (codes[name] !== undefined) return `"${codes[name]}"`
        if (hidden) return '0'
        if (name === 'month3_emplvl') return String(employed)
        return name === 'oty_month3_emplvl_pct_chg' ? String(change) : name === 'avg_wkly_wage' ? '1412' : '1'
      })
      .join(',')
  return [
    row('0', '10', '70', jobs, 1.7),
    row('1', '10', '71', 800, -3),
    row('5', '10', '71', jobs - 800, 2.1),
    row('5', '23', '74', 900, 5.5),
  ]
}
