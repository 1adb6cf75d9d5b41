import { textAnswer, type SimulatedService } from '../service.ts'
import { testCounties, fipsOf, type County } from './counties.ts'

/**
 * The Quarterly Census of Employment and Wages: a CSV for each county and quarter, 404 until about 160 days after the
 * quarter's end.
 */
export const qcew: SimulatedService = {
  host: 'data.bls.gov',
  answer({ method, path }) {
    const requested = /^\/cew\/data\/api\/(\d{4})\/([1-4])\/area\/(\d{5})\.csv$/.exec(path)
    if (!requested || method !== 'GET') return null
    const [, year, quarter, fips] = requested
    const county = testCounties.find((one) => fipsOf(one) === fips)
    const isOut = Date.now() > Date.UTC(Number(year), 3 * Number(quarter), 1) + 160 * 86_400_000
    if (!county || !isOut)
      return textAnswer(
        '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN"><html><head><title>404 Not Found</title></head></html>',
        'text/html',
        404,
      )
    return textAnswer([header, ...rowsOf(county, year!, quarter!)].join('\n'), 'text/csv')
  },
}

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
  ...[
    'disclosure_code',
    'qtrly_estabs',
    'month1_emplvl',
    'month2_emplvl',
    'month3_emplvl',
    'total_qtrly_wages',
    'taxable_qtrly_wages',
    'qtrly_contributions',
    'avg_wkly_wage',
  ].map((name) => `lq_${name}`),
  'oty_disclosure_code',
  ...[
    'qtrly_estabs',
    'month1_emplvl',
    'month2_emplvl',
    'month3_emplvl',
    'total_qtrly_wages',
    'taxable_qtrly_wages',
    'qtrly_contributions',
    'avg_wkly_wage',
  ].flatMap((name) => [`oty_${name}_chg`, `oty_${name}_pct_chg`]),
]
const header = columns.map((name) => `"${name}"`).join(',')

// The job counts are synthetic. Those of Clay County, Kansas, are not disclosed; the publisher writes zeros.
function rowsOf(county: County, year: string, quarter: string): string[] {
  const jobs = 10_000 + 1_000 * Number(county.state)
  const hidden = county.state === '20'
  const row = (own: string, industry: string, level: string, employed: number, change: number) =>
    columns
      .map((name) => {
        const codes: Record<string, string> = {
          area_fips: fipsOf(county),
          own_code: own,
          industry_code: industry,
          agglvl_code: level,
          size_code: '0',
          year,
          qtr: quarter,
          disclosure_code: hidden ? 'N' : '',
          lq_disclosure_code: hidden ? 'N' : '',
          oty_disclosure_code: hidden ? 'N' : '',
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
