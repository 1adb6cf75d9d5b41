import proj4 from 'proj4'
import { textAnswer, type SimulatedService } from '../service.ts'
import { decimal, isGetOf } from '../documents/match-request.ts'
import { regionAt } from '../documents/place-at.ts'
import { cdlAt } from './imageservers.ts'

/** The projection of the conterminous US: Albers, NAD 83. */
export const albers =
  '+proj=aea +lat_0=23 +lon_0=-96 +lat_1=29.5 +lat_2=45.5 +x_0=0 +y_0=0 +datum=NAD83 +units=m +no_defs'

/**
 * CropScape: the crop of a position in Albers metres. Its answer is XML around text that looks like JSON but is not
 * valid JSON.
 */
export const cropScape: SimulatedService = {
  host: 'nassgeodata.gmu.edu',
  answer(request) {
    if (!isGetOf(request, '/axis2/services/CDLService/GetCDLValue', { year: /\d{4}/, x: decimal, y: decimal }))
      return null
    const [x, y, year] = ['x', 'y', 'year'].map((name) => Number(request.query.get(name))) as [number, number, number]
    const fault =
      year < 2008 || year > 2025
        ? `Error: No CDL data for year ${year}`
        : Math.abs(x) < 1_000 && Math.abs(y) < 1_000
          ? 'Error: The point is out of the CDL extent'
          : null
    if (fault)
      return textAnswer(
        `<soapenv:Fault xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><faultcode>soapenv:Server</faultcode><faultstring>${fault}</faultstring><detail/></soapenv:Fault>`,
        'application/xml',
        500,
      )
    const [lng, lat] = proj4(albers, 'EPSG:4326', [x, y]) as [number, number]
    const value = regionAt({ lat, lng }) === 'CONUS' ? cdlAt({ lat, lng }, year)! : 0
    return textAnswer(
      `<ns1:GetCDLValueResponse xmlns:ns1="http://cropscape.csiss.gmu.edu/CDLService/"><Result>{x: ${x}, y: ${y}, value: ${value}, category: "Made up", color: "#00AF4D"}</Result></ns1:GetCDLValueResponse>`,
      'application/xml',
    )
  },
}
