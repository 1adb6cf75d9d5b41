import { jsonAnswer, textAnswer, type ReceivedRequest, type ServiceAnswer } from '../service.ts'
import { decimal } from './match-request.ts'
import { regionAt } from './place-at.ts'

/** The typical year of the NSRDB as CSV: two lines about the place, the column names, 8,760 hours. Synthetic. */
export function typicalYear(request: ReceivedRequest): ServiceAnswer {
  return hoursOf(request, (lat) => {
    const titles =
      'GHI,DNI,DHI,Clearsky GHI,Clearsky DNI,Temperature,Dew Point,Relative Humidity,Surface Albedo,Pressure,Precipitable Water,AOD,Wind Speed'
    const about = [
      'Source,Location ID,City,State,Country,Latitude,Longitude,Time Zone,Elevation,Local Time Zone',
      `NSRDB,149190,-,-,-,${lat},-105.26,-7,1634,-7`,
    ]
    const row = (hour: number) => {
      const sun = Math.max(0, Math.sin(((hour % 24) - 6) * (Math.PI / 12)))
      const temperature = Math.round((22 - lat * 0.3 - 14 * Math.cos((hour * Math.PI) / 4380) + 4 * sun) * 10) / 10
      const [ghi, dni] = [Math.round(580 * sun), Math.round(640 * sun)]
      return [ghi, dni, Math.round(150 * sun), ghi + 90, dni + 180, temperature, temperature - 8, 58.5, 0.18, 842, 1.2]
        .concat([0.08, 2.6])
        .join(',')
    }
    return [...about, `Year,Month,Day,Hour,Minute,${titles}`, ...hoursWith(2024, row)]
  })
}

/** A year of the WIND Toolkit as CSV: one line about the place, the column names, 8,760 hours. Synthetic. */
export function windYear(request: ReceivedRequest): ServiceAnswer {
  return hoursOf(request, (lat) => [
    `SiteID,1234567,Site Timezone,-7,Data Timezone,-7,Longitude,-105.26,Latitude,${lat}`,
    'Year,Month,Day,Hour,Minute,wind speed at 100m (m/s),wind direction at 100m (deg)',
    ...hoursWith(Number(request.query.get('names')), (hour) => `${2 + (hour % 11)},${hour % 3 === 0 ? 181 : 298}`),
  ])
}

function hoursOf({ query }: ReceivedRequest, linesAt: (lat: number) => string[]): ServiceAnswer {
  const number = decimal.source
  const at = new RegExp(`^POINT\\((${number}) (${number})\\)$`).exec(query.get('wkt') ?? '')
  const isComplete = ['names', 'attributes'].every((name) => query.get(name)) && query.get('interval') === '60'
  if (!at || !isComplete || !/^[^@]+@[^@]+$/.test(query.get('email') ?? ''))
    return jsonAnswer({ status: 400, errors: ['A required parameter is missing.'], inputs: {} }, 400)
  const [lng, lat] = [Number(at[1]), Number(at[3])]
  if (!regionAt({ lat, lng }))
    return jsonAnswer({ status: 400, errors: ['No data available at the provided location'], inputs: {} }, 400)
  return textAnswer(`${linesAt(lat).join('\n')}\n`, 'text/csv; charset=utf-8')
}

function hoursWith(year: number, rowOf: (hour: number) => string): string[] {
  return Array.from({ length: 8760 }, (_, hour) => {
    const time = new Date(Date.UTC(2023, 0, 1, hour))
    return [year, time.getUTCMonth() + 1, time.getUTCDate(), time.getUTCHours(), 30, rowOf(hour)].join(',')
  })
}
