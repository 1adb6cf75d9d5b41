import { jsonAnswer, type SimulatedService } from '../service.ts'
import { facts } from './census-geographies.ts'
import { isGetOf } from './match-request.ts'

/** The public data API of the BLS: the unemployment rate of a county. Errors are in `status`, in a 200 response. */
export const blsApi: SimulatedService = {
  host: 'api.bls.gov',
  answer(request) {
    const id = /^\/publicAPI\/v2\/timeseries\/data\/(LAUCN(\d{5})0000000003)$/.exec(request.path)
    if (!id || !isGetOf(request, request.path)) return null
    if (request.query.get('registrationkey') === 'refused') return jsonAnswer(refused)
    const known = Object.values(facts).some((one) => one.state[0] + one.county[0] === id[2])
    return jsonAnswer({
      status: 'REQUEST_SUCCEEDED',
      responseTime: 112,
      message: known ? [] : [`Series does not exist for Series ${id[1]}`],
      Results: { series: [{ seriesID: id[1], data: known ? monthsOf(id[2]!) : [] }] },
    })
  },
}

// Synthetic: the rates are ours. Kansas has the publisher's sign for a month without a figure.
function monthsOf(county: string) {
  const year = String(new Date().getUTCFullYear())
  const newest = county === '20027' ? '-' : '4.1'
  return [
    {
      year,
      period: 'M08',
      periodName: 'August',
      latest: 'true',
      value: newest,
      footnotes: [{ code: 'P', text: 'Preliminary.' }],
    },
    { year, period: 'M07', periodName: 'July', value: '3.9', footnotes: [{}] },
  ]
}

const refused = {
  status: 'REQUEST_NOT_PROCESSED',
  responseTime: 0,
  message: ['The key:refused provided by the User is invalid.'],
  Results: {},
}
