import { jsonAnswer, type SimulatedService } from '../service.ts'
import { testPlaces } from '../test-places.ts'
import { boxFrom, isGetOf } from './match-request.ts'

/**
 * The wind turbine and the solar plant databases, behind PostgREST: conditions are `column=operator.value`, and a column that is not
 * selected does not come.
 */
export const uswtdb: SimulatedService = {
  host: 'energy.usgs.gov',
  answer(request) {
    const isTurbines = isGetOf(request, '/api/uswtdb/v1/turbines', { select: /[a-z_]+(,[a-z_]+)*/ })
    if (!isTurbines && !isGetOf(request, '/api/uspvdb/v1/projects', { select: /[a-z_]+(,[a-z_]+)*/ })) return null
    const rows: Record<string, string | number>[] = isTurbines ? turbines : plants
    const bounds = (column: string, operator: string) =>
      request.query
        .getAll(column)
        .find((one) => one.startsWith(`${operator}.`))
        ?.slice(operator.length + 1)
    const box = boxFrom([bounds('xlong', 'gte'), bounds('ylat', 'gte'), bounds('xlong', 'lte'), bounds('ylat', 'lte')])
    if (!box)
      return jsonAnswer(
        { code: '22P02', details: null, hint: null, message: 'invalid input syntax for type double precision' },
        400,
      )
    const columns = request.query.get('select')!.split(',')
    const unknown = columns.find((column) => !(column in rows[0]!))
    if (unknown)
      return jsonAnswer(
        { code: '42703', details: null, hint: null, message: `column uswtdb.${unknown} does not exist` },
        400,
      )
    const found = rows.filter((one) => box.holds({ lat: Number(one.ylat), lng: Number(one.xlong) }))
    return jsonAnswer(
      found.map((one) => Object.fromEntries(Object.entries(one).filter(([column]) => columns.includes(column)))),
    )
  },
}

// Synthetic: a wind farm in Kansas whose nearest turbine has no known height, and one turbine near Boulder.
const turbines = [
  turbine(1, 'Meadowlark Made-Up Wind', 0.02, -9_999, 'kansas'),
  turbine(2, 'Meadowlark Made-Up Wind', 0.04, 80, 'kansas'),
  turbine(3, 'Meadowlark Made-Up Wind', 0.06, 80, 'kansas'),
  turbine(4, 'Flatirons Made-Up Test Site', 0.12, 79.5, 'boulder'),
]

// Synthetic: a solar plant near Boulder.
const plants = [
  {
    case_id: 1,
    p_name: 'Made-Up Solar',
    p_year: 2_019,
    p_cap_ac: 12.5,
    p_cap_dc: 16,
    xlong: testPlaces.boulder.lng + 0.1,
    ylat: testPlaces.boulder.lat,
  },
]

function turbine(case_id: number, p_name: string, east: number, t_hh: number, place: 'kansas' | 'boulder') {
  return {
    case_id,
    p_name,
    p_year: 2_018,
    p_cap: 149.5,
    t_cap: 2_300,
    t_hh,
    t_ttlh: t_hh < 0 ? t_hh : t_hh + 58,
    t_rd: 116,
    t_model: 'Made up',
    t_state: 'US',
    xlong: testPlaces[place].lng + east,
    ylat: testPlaces[place].lat,
  }
}
