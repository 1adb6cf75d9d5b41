import { layer, type SimulatedCell, type SimulatedLayer } from './layer.ts'
import { box, multipartShape, ring, square, type SimulatedShape } from './shapes.ts'
import { structureLayers } from './structures.ts'

const nfhl = 'https://hazards.fema.gov/arcgis/rest/services/public/NFHL/MapServer'

/** FEMA's flood maps and risk index: synthetic features with the geometry types and terms of the real layers. */
export const femaLayers: SimulatedLayer[] = [
  layer({
    at: `${nfhl}/0`,
    name: 'NFHL Availability',
    kind: 'polygon',
    columns: 'OBJECTID STUDY_ID',
    rows: [
      [square('boulder', 9_000), { STUDY_ID: '08013C_STUDY1' }],
      [square('miami_beach', 9_000), { STUDY_ID: '12086C_STUDY1' }],
      [square('new_orleans', 9_000), { STUDY_ID: '22071C_STUDY1' }],
      [square('kansas', 9_000), { STUDY_ID: '20027C_STUDY1' }],
      [square('manhattan', 9_000), { STUDY_ID: '360497_STUDY1' }],
      [square('anchorage', 9_000), { STUDY_ID: '020005_STUDY1' }],
      [square('san_juan', 9_000), { STUDY_ID: '72000C_STUDY1' }],
    ],
  }),
  layer({
    at: `${nfhl}/3`,
    name: 'FIRM Panels',
    kind: 'polygon',
    columns: 'OBJECTID DFIRM_ID FIRM_PAN PANEL_TYP EFF_DATE:date',
    rows: [
      [
        square('boulder', 3_000),
        {
          DFIRM_ID: '08013C',
          FIRM_PAN: '08013C0394J',
          PANEL_TYP: 'COUNTYWIDE, PANEL PRINTED',
          EFF_DATE: Date.UTC(2012, 11, 18),
        },
      ],
      [
        square('miami_beach', 3_000),
        {
          DFIRM_ID: '12086C',
          FIRM_PAN: '12086C0317L',
          PANEL_TYP: 'COUNTYWIDE, PANEL PRINTED',
          EFF_DATE: Date.UTC(2009, 8, 11),
        },
      ],
      [
        square('new_orleans', 3_000),
        {
          DFIRM_ID: '22071C',
          FIRM_PAN: '22071C0229F',
          PANEL_TYP: 'COUNTYWIDE, PANEL PRINTED',
          EFF_DATE: Date.UTC(2016, 8, 30),
        },
      ],
      [
        square('kansas', 3_000),
        {
          DFIRM_ID: '20027C',
          FIRM_PAN: '20027C0175D',
          PANEL_TYP: 'COUNTYWIDE, PANEL PRINTED',
          EFF_DATE: Date.UTC(2010, 1, 2),
        },
      ],
      [
        square('manhattan', 3_000),
        {
          DFIRM_ID: '360497',
          FIRM_PAN: '3604970088F',
          PANEL_TYP: 'COMMUNITY, PANEL PRINTED',
          EFF_DATE: Date.UTC(2007, 8, 5),
        },
      ],
      [
        square('anchorage', 3_000),
        {
          DFIRM_ID: '020005',
          FIRM_PAN: '0200050735D',
          PANEL_TYP: 'COMMUNITY, PANEL NOT PRINTED',
          EFF_DATE: Date.UTC(9999, 8, 9),
        },
      ],
      [
        square('san_juan', 3_000),
        {
          DFIRM_ID: '72000C',
          FIRM_PAN: '72000C0365J',
          PANEL_TYP: 'COUNTYWIDE, PANEL PRINTED',
          EFF_DATE: Date.UTC(2009, 10, 18),
        },
      ],
    ],
  }),
  layer({
    at: `${nfhl}/22`,
    name: 'Political Jurisdictions',
    kind: 'polygon',
    columns: 'OBJECTID POL_NAME1 CID CO_FIPS ST_FIPS COMM_NO ANI_TF',
    rows: [
      [square('boulder', 30_000), community('BOULDER COUNTY UNINCORPORATED AREAS', '080023', '013', 'F')],
      [square('boulder', 5_000), community('CITY OF BOULDER', '080024', '013', 'F')],
      [square('miami_beach', 4_000), community('CITY OF MIAMI BEACH', '120651', '086', 'F')],
      [square('new_orleans', 8_000), community('NEW ORLEANS/ORLEANS PARISH', '225203', '071', 'F')],
      [square('kansas', 30_000), community('CLAY COUNTY UNINCORPORATED AREAS', '200546', '027', null)],
      [square('manhattan', 20_000), community('CITY OF NEW YORK', '360497', '061', 'F')],
      [square('anchorage', 30_000), community('MUNICIPALITY OF ANCHORAGE', '020005', '020', 'T')],
      [square('san_juan', 60_000), community('COMMONWEALTH OF PUERTO RICO', '720000', '000', ' ')],
    ],
  }),
  layer({
    at: `${nfhl}/28`,
    name: 'Flood Hazard Zones',
    kind: 'polygon',
    columns:
      'OBJECTID DFIRM_ID FLD_AR_ID STUDY_TYP FLD_ZONE ZONE_SUBTY SFHA_TF STATIC_BFE:double V_DATUM DEPTH:double LEN_UNIT VELOCITY:double DUAL_ZONE SOURCE_CIT',
    rows: [
      [box('boulder', -5_000, -120, 5_000, 5_000), zone('08013C', 'X', { ZONE_SUBTY: 'AREA OF MINIMAL FLOOD HAZARD' })],
      [box('boulder', -5_000, -260, 5_000, -120), zone('08013C', 'AE', {})],
      [box('boulder', -5_000, -220, 5_000, -180), zone('08013C', 'AE', { ZONE_SUBTY: 'FLOODWAY' })],
      [square('miami_beach', 400), zone('12086C', 'AE', { STATIC_BFE: 8, V_DATUM: 'NAVD88', LEN_UNIT: 'Feet' })],
      [
        box('miami_beach', 400, -3_000, 900, 3_000),
        zone('12086C', 'VE', { STATIC_BFE: 11, V_DATUM: 'NAVD88', LEN_UNIT: 'NP' }),
      ],
      [ring('miami_beach', 3_000, 900), zone('12086C', 'OPEN WATER', { SFHA_TF: 'F' })],
      [
        multipartShape(square('new_orleans', 2_000), square('new_orleans', 200, 4_000, 0)),
        zone('22071C', 'X', { ZONE_SUBTY: 'AREA WITH REDUCED FLOOD RISK DUE TO LEVEE' }),
      ],
      [square('new_orleans', 500, 3_000, 0), zone('22071C', 'AH', { DEPTH: 2 })],
      [box('kansas', -1_500, -1_500, 0, 1_500), zone('20027C', 'A', { ZONE_SUBTY: ' ' })],
      [box('kansas', 0, -1_500, 1_500, 1_500), zone('20027C', 'X', { ZONE_SUBTY: 'AREA OF MINIMAL FLOOD HAZARD' })],
      [square('manhattan', 300), zone('360497', 'X', { ZONE_SUBTY: '0.2 PCT ANNUAL CHANCE FLOOD HAZARD' })],
      [ring('manhattan', 900, 300), zone('360497', 'AE', { STATIC_BFE: 10, V_DATUM: 'NAVD88', LEN_UNIT: 'Feet' })],
      [square('anchorage', 2_000), zone('020005', 'AREA NOT INCLUDED', {})],
      [square('san_juan', 250), zone('72000C', 'VE', { STATIC_BFE: 3, V_DATUM: 'PRVD02', LEN_UNIT: 'Meters' })],
    ],
  }),
  layer({
    at: 'https://services.arcgis.com/XG15cJAlne2vxtgt/arcgis/rest/services/National_Risk_Index_Census_Tracts/FeatureServer/0',
    name: 'National Risk Index Census Tracts',
    kind: 'polygon',
    columns: `OBJECTID TRACTFIPS STCOFIPS RISK_SCORE:double RISK_RATNG EAL_VALT:double SOVI_SCORE:double RESL_SCORE:double
      WFIR_RISKR HRCN_RISKR TRND_RISKR HAIL_RISKR SWND_RISKR ERQK_RISKR LNDS_RISKR IFLD_RISKR DRGT_RISKR HWAV_RISKR
      WFIR_AFREQ:double TRND_AFREQ:double HAIL_AFREQ:double LTNG_AFREQ:double`,
    rows: [
      tract(
        'boulder',
        '08013012203',
        [71.25, 'Relatively Moderate', 812_345.67, 21.5, 88.1],
        [
          'Relatively High',
          'Not Applicable',
          'Relatively Low',
          'Very High',
          'Relatively Moderate',
          'Relatively Low',
          'Relatively Moderate',
          'Relatively High',
          'Relatively Low',
          'Very Low',
        ],
      ),
      tract(
        'miami_beach',
        '12086004406',
        [96.4, 'Relatively High', 9_234_567.5, 64.2, 31.7],
        [
          'Very Low',
          'Very High',
          'Relatively Moderate',
          'Relatively Low',
          'Relatively Moderate',
          'Very Low',
          'Very Low',
          'Relatively High',
          'No Rating',
          'Relatively Moderate',
        ],
      ),
      tract(
        'new_orleans',
        '22071013400',
        [93.8, 'Relatively High', 4_000_100.25, 71, 45.5],
        [
          'Very Low',
          'Very High',
          'Relatively Moderate',
          'Relatively Low',
          'Relatively High',
          'Very Low',
          'Very Low',
          'Very High',
          'Very Low',
          'Relatively High',
        ],
      ),
      tract(
        'kansas',
        '20027458200',
        [33.3, 'Very Low', 150_000, 30.25, 72.5],
        [
          'Very Low',
          'Very Low',
          'Relatively High',
          'Relatively Moderate',
          'Relatively Moderate',
          'Very Low',
          'Insufficient Data',
          'Relatively Low',
          'Relatively High',
          'Relatively Moderate',
        ],
      ),
      tract(
        'manhattan',
        '36061007600',
        [88.8, 'Relatively Moderate', 5_500_000, 40, 60],
        [
          'Very Low',
          'Relatively Moderate',
          'Very Low',
          'Very Low',
          'Relatively Low',
          'Relatively Moderate',
          'Very Low',
          'Relatively Moderate',
          'No Rating',
          'Relatively High',
        ],
      ),
      tract(
        'paradise',
        '06007001702',
        [99.1, 'Very High', 7_654_321, 66.6, 38],
        [
          'Very High',
          'Not Applicable',
          'Very Low',
          'Very Low',
          'Very Low',
          'Relatively Moderate',
          'Relatively High',
          'Relatively Moderate',
          'Relatively Moderate',
          'Relatively Low',
        ],
      ),
      tract(
        'san_juan',
        '72127000500',
        [null, 'Insufficient Data', null, null, null],
        [
          'Insufficient Data',
          'Relatively High',
          'Insufficient Data',
          'No Rating',
          'No Rating',
          'Relatively High',
          'Relatively Moderate',
          'Relatively High',
          'No Rating',
          'No Rating',
        ],
      ),
    ],
  }),
  structureLayers,
]

function community(name: string, cid: string, county: string, notIncluded: string | null) {
  return {
    POL_NAME1: name,
    CID: cid,
    CO_FIPS: county,
    ST_FIPS: cid.slice(0, 2),
    COMM_NO: cid.slice(2),
    ANI_TF: notIncluded,
  }
}

function zone(firm: string, name: string, more: Record<string, SimulatedCell>): Record<string, SimulatedCell> {
  const flooded = /^[AV]/.test(name) && name !== 'AREA NOT INCLUDED'
  return {
    DFIRM_ID: firm,
    FLD_AR_ID: `${firm}_${name}`,
    STUDY_TYP: 'NP',
    FLD_ZONE: name,
    ZONE_SUBTY: null,
    SFHA_TF: flooded ? 'T' : 'F',
    STATIC_BFE: -9999,
    V_DATUM: null,
    DEPTH: -9999,
    LEN_UNIT: null,
    VELOCITY: -9999,
    DUAL_ZONE: 'F',
    SOURCE_CIT: `${firm}_STUDY1`,
    ...more,
  }
}

function tract(
  place: Parameters<typeof square>[0],
  fips: string,
  [score, rating, loss, social, resilience]: SimulatedCell[],
  ratings: string[],
): [SimulatedShape, Record<string, SimulatedCell>] {
  const codes = ['WFIR', 'HRCN', 'TRND', 'HAIL', 'SWND', 'ERQK', 'LNDS', 'IFLD', 'DRGT', 'HWAV']
  return [
    square(place, 2_000),
    {
      TRACTFIPS: fips,
      STCOFIPS: fips.slice(0, 5),
      RISK_SCORE: score!,
      RISK_RATNG: rating!,
      EAL_VALT: loss!,
      SOVI_SCORE: social!,
      RESL_SCORE: resilience!,
      ...Object.fromEntries(codes.map((code, index) => [`${code}_RISKR`, ratings[index]!])),
      ...(ratings.includes('No Rating')
        ? { WFIR_AFREQ: null, TRND_AFREQ: null, HAIL_AFREQ: null, LTNG_AFREQ: null }
        : { WFIR_AFREQ: 0.0004, TRND_AFREQ: 0.02, HAIL_AFREQ: 4.1, LTNG_AFREQ: 38.5 }),
    },
  ]
}
