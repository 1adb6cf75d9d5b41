import { parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer'
import { answerRange } from '../rasters/files.ts'
import { jsonAnswer, type ServiceAnswer, type SimulatedService } from '../service.ts'
import { facts } from './census-geographies.ts'
import { isGetOf } from './match-request.ts'

/**
 * OpenFEMA: the book of communities in the flood insurance programme, and the declared disasters. Anything but
 * `/api/open` is refused to robots.
 */
export const openFema: SimulatedService = {
  host: 'www.fema.gov',
  answer(request) {
    if (isGetOf(request, '/api/open/v1/NfipCommunityStatusBook')) return communities(request.query)
    if (isGetOf(request, '/api/open/v1/NfipCommunityStatusBook.parquet')) return answerRange(request, bookFile())!
    if (isGetOf(request, '/api/open/v2/DisasterDeclarationsSummaries')) return declarations(request.query)
    return request.path.startsWith('/api/open/')
      ? null
      : { status: 403, type: 'text/html', body: '<html><body>Access Denied</body></html>' }
  },
}

// Synthetic: the classes and numbers are ours, the ids of communities those of the made-up flood maps.
const book: Record<
  string,
  { communityName: string; state: string; participatingInNFIP: boolean; classRating: string | null }
> = {
  '080024': { communityName: 'BOULDER, CITY OF', state: 'CO', participatingInNFIP: true, classRating: '5' },
  120651: { communityName: 'MIAMI BEACH, CITY OF', state: 'FL', participatingInNFIP: true, classRating: '5' },
  225203: { communityName: 'NEW ORLEANS/ORLEANS PARISH', state: 'LA', participatingInNFIP: true, classRating: '7' },
  360497: { communityName: 'NEW YORK, CITY OF', state: 'NY', participatingInNFIP: true, classRating: null },
  260316: { communityName: 'KALAMAZOO, CITY OF', state: 'MI', participatingInNFIP: true, classRating: null },
  200546: { communityName: 'CLAY COUNTY', state: 'KS', participatingInNFIP: false, classRating: null },
}

/** The complete list of communities as Parquet. Texts and booleans have their types, unlike in the CSV file. */
function bookFile(): Uint8Array {
  const rows = Object.entries(book).map(([communityIdNumber, it]) => ({ communityIdNumber, ...it }))
  const textColumn = (name: 'communityIdNumber' | 'communityName' | 'state' | 'classRating'): ColumnSource => ({
    name,
    data: rows.map((row) => row[name]),
    type: 'STRING',
    nullable: true,
  })
  const participating = rows.map((row) => row.participatingInNFIP)
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        ...(['communityIdNumber', 'communityName', 'state'] as const).map(textColumn),
        { name: 'participatingInNFIP', data: participating, type: 'BOOLEAN' },
        textColumn('classRating'),
      ],
    }),
  )
}

function communities(query: URLSearchParams): ServiceAnswer {
  const id = /^communityIdNumber eq '([^']*)'$/.exec(query.get('$filter') ?? '')?.[1]
  if (id === undefined) return wrongFilter()
  const found = book[id]
  const rows = found
    ? [
        {
          communityIdNumber: id,
          county: 'MADE UP COUNTY',
          sfhaDiscount: null,
          currentlyEffectiveMapDate: '2012-12-18T00:00:00.000Z',
          ...found,
        },
      ]
    : []
  return jsonAnswer({ metadata: metadata('NfipCommunityStatusBook', rows.length), NfipCommunityStatusBook: rows })
}

function declarations(query: URLSearchParams): ServiceAnswer {
  const requested =
    /^fipsStateCode eq '(\d{2})' and \(fipsCountyCode eq '(\d{3})' or fipsCountyCode eq '000'\) and declarationDate gt '(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}z)'$/.exec(
      query.get('$filter') ?? '',
    )
  if (!requested) return wrongFilter()
  const [, state, county, since] = requested
  const place = Object.values(facts).find((one) => one.state[0] === state && one.county[0] === county)
  const rows =
    place && state !== '20' ? disasters.filter((one) => Date.parse(one.declarationDate) > Date.parse(since!)) : []
  const columns = query.get('$select')?.split(',')
  const selected = columns
    ? rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => columns.includes(name))))
    : rows
  return jsonAnswer({
    metadata: metadata('DisasterDeclarationsSummaries', rows.length),
    DisasterDeclarationsSummaries: selected.slice(0, Number(query.get('$top') ?? 1_000)),
  })
}

/** Two rows of one disaster, as one that was declared twice over, one for the whole state, and an old one. */
const disasters = [
  { disasterNumber: 9_101, incidentType: 'Flood', declarationDate: yearsAgo(2), fyDeclared: 2_024 },
  { disasterNumber: 9_101, incidentType: 'Flood', declarationDate: yearsAgo(2), fyDeclared: 2_024 },
  { disasterNumber: 9_057, fipsCountyCode: '000', incidentType: 'Biological', declarationDate: yearsAgo(6) },
  { disasterNumber: 9_002, incidentType: 'Severe Storm', declarationDate: yearsAgo(14), fyDeclared: 2_012 },
]

function yearsAgo(years: number): string {
  return `${new Date().getUTCFullYear() - years}-06-15T00:00:00.000Z`
}

function metadata(entityname: string, count: number) {
  return {
    skip: 0,
    filter: '',
    orderby: '',
    select: null,
    rundate: new Date().toISOString(),
    top: 1_000,
    format: 'json',
    metadata: true,
    entityname,
    count,
  }
}

function wrongFilter(): ServiceAnswer {
  return jsonAnswer(
    { error: { statusCode: 400, name: 'ValidationError', message: 'The value provided for $filter is not valid.' } },
    400,
  )
}
