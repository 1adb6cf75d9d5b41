import { fieldsSharing, documented } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const countyName: Omit<Field, 'name'> = {
  description: 'Name of the county or county equivalent with its legal suffix.',
  pattern: '[A-Za-z]',
  spoken: 'the county',
  interpretation_hints:
    'Includes County, Parish, Borough, Municipio or Planning Region; some independent cities have no suffix.',
  layer: 'admin',
  lifecycle: 'stable',
  type: 'string',
  unit: null,
  ttl_seconds: 2_592_000,
  null_meaning: 'Point is outside every county equivalent.',
  derivation: null,
  read: {
    dataset: 'census_counties',
    op: 'attribute',
    attribute: 'NAMELSAD',
    fallback: [
      {
        dataset: 'census_geocoder_geographies',
        op: 'path',
        json_path: "$.result.geographies['Counties'][0].NAME",
        absent_when: ['empty'],
      },
      {
        dataset: 'fcc_area_api',
        op: 'path',
        json_path: '$.results[0].county_name',
        absent_when: ['empty'],
        skip_when: "state_fips == '09'",
        from: { state_fips: 'state_fips' },
      },
    ],
  },
  evidence: documented,
}

const shared = {
  layer: 'admin',
  lifecycle: 'stable',
  type: 'string',
  unit: null,
  ttl_seconds: 2_592_000,
  derivation: null,
  evidence: documented,
} satisfies Partial<Field>

export const admin: Field[] = fieldsSharing(shared, [
  {
    name: 'state_fips',
    description: 'Two-digit FIPS code of the state or territory that contains the point.',
    spoken: 'the FIPS code of the state',
    interpretation_hints: 'Keep as text; leading zeros matter. 60 and above are island territories, 72 is Puerto Rico.',
    pattern: '^[0-9]{2}$',
    null_meaning: 'Point is outside every state and territory (open water or abroad).',
    read: {
      dataset: 'census_counties',
      op: 'attribute',
      attribute: 'STATEFP',
      fallback: [
        {
          dataset: 'census_geocoder_geographies',
          op: 'path',
          json_path: "$.result.geographies['States'][0].GEOID",
          absent_when: ['empty'],
        },
        { dataset: 'fcc_area_api', op: 'path', json_path: '$.results[0].state_fips', absent_when: ['empty'] },
        { dataset: 'census_tigerweb_states', op: 'attribute', attribute: 'GEOID' },
      ],
    },
  },
  {
    name: 'state',
    description: 'Two-letter USPS abbreviation of the state or territory.',
    spoken: 'the state',
    interpretation_hints: 'DC and territories use their postal code (DC, PR, VI, GU, AS, MP).',
    pattern: '^[A-Z]{2}$',
    null_meaning: 'Point is outside every state and territory.',
    read: {
      dataset: 'census_counties',
      op: 'attribute',
      attribute: 'STUSPS',
      fallback: [
        {
          dataset: 'census_geocoder_geographies',
          op: 'path',
          json_path: "$.result.geographies['States'][0].STUSAB",
          absent_when: ['empty'],
        },
        { dataset: 'fcc_area_api', op: 'path', json_path: '$.results[0].state_code', absent_when: ['empty'] },
        { dataset: 'census_tigerweb_states', op: 'attribute', attribute: 'STUSAB' },
      ],
    },
  },
  {
    name: 'political_region',
    description: 'Full name of the state or territory.',
    spoken: 'the state',
    interpretation_hints: 'Display text only; join on state_fips.',
    pattern: '[a-z]',
    null_meaning: 'Point is outside every state and territory.',
    read: {
      dataset: 'census_counties',
      op: 'attribute',
      attribute: 'STATE_NAME',
      fallback: [
        {
          dataset: 'census_geocoder_geographies',
          op: 'path',
          json_path: "$.result.geographies['States'][0].NAME",
          absent_when: ['empty'],
        },
        { dataset: 'fcc_area_api', op: 'path', json_path: '$.results[0].state_name', absent_when: ['empty'] },
      ],
    },
  },
  {
    name: 'county_fips',
    description: 'Five-digit FIPS code of the county or county equivalent.',
    spoken: 'the FIPS code of the county',
    interpretation_hints:
      'Connecticut returns planning regions (09110 to 09190) in current vintages, not the eight legacy counties.',
    pattern: '^[0-9]{5}$',
    null_meaning: 'Point is outside every county equivalent.',
    read: {
      dataset: 'census_counties',
      op: 'attribute',
      attribute: 'GEOID',
      fallback: [
        {
          dataset: 'census_geocoder_geographies',
          op: 'path',
          json_path: "$.result.geographies['Counties'][0].GEOID",
          absent_when: ['empty'],
        },
        {
          dataset: 'fcc_area_api',
          op: 'path',
          json_path: '$.results[0].county_fips',
          absent_when: ['empty'],
          skip_when: "state_fips == '09'",
          from: { state_fips: 'state_fips' },
        },
        { dataset: 'census_tigerweb_counties', op: 'attribute', attribute: 'GEOID' },
      ],
    },
  },
  { name: 'county', ...countyName },
  { name: 'political_county', ...countyName },

  {
    name: 'tract_geoid',
    description: 'Eleven-digit 2020 census tract identifier.',
    spoken: 'the census tract',
    interpretation_hints:
      'Tracts hold about 4,000 people and are the usual join key for ACS data. Do not match the identifier with programs that use the tracts of 2010, such as the 2018 Opportunity Zones.',
    pattern: '^[0-9]{11}$',
    null_meaning: 'Point is outside every tract.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path: "$.result.geographies['Census Tracts'][0].GEOID",
      absent_when: ['empty'],
      fallback: [
        {
          dataset: 'fcc_area_api',
          op: 'path',
          json_path: '$.results[0].block_fips',
          absent_when: ['empty'],
          expression: 'slice(value, 0, 11)',
          skip_when: "state_fips == '09'",
          from: { state_fips: 'state_fips' },
        },
        { dataset: 'census_tigerweb_tracts', op: 'attribute', attribute: 'GEOID' },
      ],
    },
  },
  {
    name: 'block_group_geoid',
    description: 'Twelve-digit census block group identifier of the current vintage.',
    interpretation_hints:
      'Smallest geography with ACS estimates. In Connecticut it carries the planning-region code and so differs from the first twelve digits of block_geoid.',
    pattern: '^[0-9]{12}$',
    null_meaning: 'Point is outside every block group.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path: "$.result.geographies['Census Block Groups'][0].GEOID",
      absent_when: ['empty'],
      fallback: [
        {
          dataset: 'computed',
          op: 'computed',
          expression: 'slice(block_geoid, 0, 12)',
          skip_when: "state_fips == '09'",
          from: { block_geoid: 'block_geoid', state_fips: 'state_fips' },
        },
        { dataset: 'census_tigerweb_block_groups', op: 'attribute', attribute: 'GEOID' },
      ],
    },
  },
  {
    name: 'block_geoid',
    description: 'Fifteen-digit 2020 census block identifier.',
    interpretation_hints:
      'Finest census geography; boundaries follow streets and water. Connecticut blocks keep the legacy county code of 2020 (09001 to 09015).',
    pattern: '^[0-9]{15}$',
    null_meaning: 'Point is outside every block.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path: '$.result.geographies[/^\\d{4} Census Blocks$|^Census Blocks$/][0].GEOID',
      absent_when: ['empty'],
      fallback: [{ dataset: 'fcc_area_api', op: 'path', json_path: '$.results[0].block_fips', absent_when: ['empty'] }],
    },
  },
  {
    name: 'political_locality',
    description: 'Incorporated place or census designated place that contains the point.',
    spoken: 'the city or town',
    interpretation_hints: 'A CDP is a statistical area without a municipal government. Mailing city names can differ.',
    pattern: '[a-z]',
    null_meaning: 'Point is in unincorporated territory outside any census designated place.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path:
        "$.result.geographies['Incorporated Places'][0].NAME ?? $.result.geographies['Census Designated Places'][0].NAME",
      absent_when: ['empty'],
    },
  },
  {
    name: 'place_geoid',
    description: 'Seven-digit identifier of the incorporated or census designated place.',
    interpretation_hints: 'State FIPS plus five-digit place code.',
    pattern: '^[0-9]{7}$',
    null_meaning: 'Point is in unincorporated territory outside any census designated place.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path:
        "$.result.geographies['Incorporated Places'][0].GEOID ?? $.result.geographies['Census Designated Places'][0].GEOID",
      absent_when: ['empty'],
    },
  },
  {
    name: 'county_subdivision_name',
    description: 'Town, township or census county division that contains the point.',
    interpretation_hints: 'In the Northeast and Midwest this is often the functioning local government.',
    null_meaning: 'No county subdivision at the point, such as on large waters.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path: "$.result.geographies['County Subdivisions'][0].NAME",
      absent_when: ['empty'],
    },
  },
  {
    name: 'school_district_name',
    description: 'Public school district that contains the point.',
    spoken: 'the school district',
    interpretation_hints:
      'Unified district when there is one, else the secondary, else the elementary district. Attendance zones are not implied.',
    null_meaning: 'No school district at the point, such as on some large waters.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path:
        "$.result.geographies['Unified School Districts'][0].NAME ?? $.result.geographies['Secondary School Districts'][0].NAME ?? $.result.geographies['Elementary School Districts'][0].NAME",
      absent_when: ['empty'],
    },
  },
  {
    name: 'congressional_district',
    description: 'US House district as state abbreviation and two-digit number.',
    spoken: 'the congressional district',
    interpretation_hints:
      '00 is an at-large seat and 98 a non-voting delegate. dataset_vintage says of which Congress the district is. The Census Bureau switches to the districts of the next Congress before its election: since September 2026 they are those of the 120th, which is seated on 3 January 2027. In states with new district lines, such as California and Texas, the current representative of a place can be from a different district.',
    pattern: '^[A-Z]{2}-[0-9]{2}$',
    null_meaning: 'No congressional district at the point, such as on some large waters.',
    derivation: 'state plus the last two digits of the district GEOID.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path: '$.result.geographies[/^\\d+(st|nd|rd|th) Congressional Districts$/][0].GEOID',
      absent_when: ['empty'],
      sentinels: ['*ZZ'],
      edition_from: {
        of: '$.result.geographies',
        key: '^(\\d+(?:st|nd|rd|th)) Congressional Districts$',
        text: '{1} Congress',
      },
      expression: "state + '-' + slice(value, 2, 4)",
      from: { state: 'state' },
    },
  },
  {
    name: 'state_legislative_upper_district',
    description: 'Name of the state senate district that contains the point.',
    interpretation_hints:
      'Nebraska has a single chamber and appears here only. Since September 2026 these are the districts of the 2026 elections.',
    pattern: '[a-z]',
    null_meaning: 'No upper-chamber district at the point, such as on some large waters.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path: '$.result.geographies[/State Legislative Districts - Upper$/][0].NAME',
      absent_when: ['empty'],
    },
  },
  {
    name: 'state_legislative_lower_district',
    description: 'Name of the state house or assembly district that contains the point.',
    interpretation_hints:
      'Absent in Nebraska and the District of Columbia. Since September 2026 these are the districts of the 2026 elections.',
    pattern: '[a-z]',
    null_meaning: 'No lower-chamber district at the point, such as on some large waters.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path: '$.result.geographies[/State Legislative Districts - Lower$/][0].NAME',
      absent_when: ['empty'],
    },
  },
  {
    name: 'cbsa_code',
    description: 'Five-digit code of the metropolitan or micropolitan statistical area.',
    spoken: 'the code of the metropolitan area',
    interpretation_hints:
      'Check the vintage. The Census service uses the July 2023 OMB delineation and the embedded counties use the 2010 delineation. Codes and member counties differ between the two.',
    pattern: '^[0-9]{5}$',
    null_meaning: 'Point is outside every core based statistical area.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path:
        "$.result.geographies['Metropolitan Statistical Areas'][0].CBSA ?? $.result.geographies['Micropolitan Statistical Areas'][0].CBSA",
      absent_when: ['empty'],
      fallback: [
        {
          dataset: 'census_statistical_areas_2010',
          op: 'attribute',
          attribute: 'CBSAFP',
          stand_in: 'The delineation of 2010 instead of the current one.',
        },
      ],
    },
  },
  {
    name: 'cbsa_name',
    description: 'Name of the metropolitan or micropolitan statistical area.',
    spoken: 'the metropolitan area',
    interpretation_hints: 'The source appends Metro Area or Micro Area; strip it for display.',
    null_meaning: 'Point is outside every core based statistical area.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path:
        "$.result.geographies['Metropolitan Statistical Areas'][0].NAME ?? $.result.geographies['Micropolitan Statistical Areas'][0].NAME",
      absent_when: ['empty'],
    },
  },
  {
    name: 'zcta5',
    description: 'Five-digit ZIP Code Tabulation Area that contains the point.',
    spoken: 'the ZIP code area',
    interpretation_hints: 'A census approximation of a ZIP code, not a delivery route; parks and water may have none.',
    pattern: '^[0-9]{5}$',
    null_meaning: 'No ZCTA at the point.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path: '$.result.geographies[/ZIP Code Tabulation Areas$/][0].ZCTA5',
      absent_when: ['empty'],
    },
  },
  {
    name: 'urban_area_name',
    description: '2020 census urban area that contains the point.',
    interpretation_hints:
      'Urban areas need at least 2,000 housing units or 5,000 people. The name of an area that crosses state lines has all of its states.',
    null_meaning: 'Point is in rural territory.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path: '$.result.geographies[/Urban Areas( - Corrected)?$/ of /Urbanized Areas$/][0].NAME',
      absent_when: ['empty'],
    },
  },
  {
    name: 'within_urban_area',
    description: 'Whether the point lies inside a 2020 census urban area.',
    interpretation_hints: 'False means rural by the Census Bureau definition.',
    type: 'boolean',
    null_meaning: null,
    derivation: 'True when urban_area_name has a value.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path: '$.result.geographies[/Urban Areas( - Corrected)?$/][0]',
      absent_when: ['empty'],
      test: 'exists',
      none: false,
    },
  },
  {
    name: 'tribal_area_name',
    description: 'American Indian, Alaska Native or Native Hawaiian area that contains the point.',
    interpretation_hints:
      'Reservations and trust land are legal areas; statistical areas (OTSA, ANVSA) are not jurisdiction boundaries. State and tribal designated statistical areas (SDTSA, TDSA) are not read.',
    lifecycle: 'beta',
    null_meaning: 'Point is outside every tribal area.',
    read: {
      dataset: 'census_geocoder_geographies',
      op: 'path',
      json_path:
        "$.result.geographies['Federal American Indian Reservations'][0].NAME ?? $.result.geographies['Off-Reservation Trust Lands'][0].NAME ?? $.result.geographies['State American Indian Reservations'][0].NAME ?? $.result.geographies['Hawaiian Home Lands'][0].NAME ?? $.result.geographies['Alaska Native Village Statistical Areas'][0].NAME ?? $.result.geographies['Oklahoma Tribal Statistical Areas'][0].NAME ?? $.result.geographies['American Indian Joint-Use Areas'][0].NAME",
      absent_when: ['empty'],
    },
  },
  {
    name: 'timezone',
    description: 'IANA time zone identifier at the point.',
    spoken: 'the time zone',
    interpretation_hints:
      'Get offsets and daylight saving from an IANA database. The time zone boundaries of the DOT alone cannot tell Phoenix from Denver.',
    pattern: '^[A-Z][a-z]{2,9}/[A-Z]',
    ttl_seconds: 7_776_000,
    null_meaning: 'Point is outside every state and territory.',
    read: { dataset: 'tz_boundaries', op: 'attribute', attribute: 'tzid' },
    evidence: 'checked with the embedded zones against the time zone field of 18,966 FAA facilities',
  },
  {
    name: 'county_land_area_km2',
    description: 'Land area of the county that contains the point.',
    spoken: 'the land area of the county',
    interpretation_hints:
      'From the 2010 edition; the area of a county changes little. Divide county_population by it to get a density.',
    type: 'float',
    unit: 'km2',
    decimals: 3,
    ttl_seconds: 7_776_000,
    null_meaning:
      'Point is outside every county equivalent, or in one that is newer than 2010 (Connecticut, parts of Alaska, the territories except Puerto Rico).',
    derivation: 'ALAND of TIGER/Line, divided by 1,000,000.',
    valid_range: [1, 400_000],
    read: { dataset: 'census_counties', op: 'attribute', expression: 'ALAND / 1000000' },
    evidence: 'checked with the embedded layer',
  },
  {
    name: 'county_water_area_km2',
    description: 'Water area of the county that contains the point, including its part of the ocean or a Great Lake.',
    spoken: 'the water area of the county',
    interpretation_hints: 'Large on coasts and lakes, where a county reaches out to the state boundary.',
    type: 'float',
    unit: 'km2',
    decimals: 3,
    ttl_seconds: 7_776_000,
    null_meaning:
      'Point is outside every county equivalent, or in one that is newer than 2010 (Connecticut, parts of Alaska, the territories except Puerto Rico).',
    derivation: 'AWATER of TIGER/Line, divided by 1,000,000.',
    valid_range: [0, 400_000],
    read: { dataset: 'census_counties', op: 'attribute', expression: 'AWATER / 1000000' },
    evidence: 'checked with the embedded layer',
  },
  {
    name: 'csa_code',
    description: 'Three-digit code of the combined statistical area of 2010 that the county belongs to.',
    interpretation_hints:
      'A group of neighboring metropolitan and micropolitan areas; most rural counties are in none. Later delineations use different codes for some areas.',
    pattern: '^[0-9]{3}$',
    ttl_seconds: 7_776_000,
    null_meaning: 'The county is in no combined statistical area, or has changed since 2010.',
    derivation: 'CSAFP of the county in TIGER/Line 2010.',
    read: { dataset: 'census_statistical_areas_2010', op: 'attribute', attribute: 'CSAFP' },
    evidence: 'checked with the embedded layer',
  },
  {
    name: 'utc_offset_standard_hours',
    description: 'Offset of standard time at the point from UTC, in hours.',
    spoken: 'the offset of standard time from UTC',
    interpretation_hints:
      'Negative in the Americas, +10 in Guam. Add one hour in summer where is_daylight_saving_time_observed is true.',
    type: 'float',
    unit: 'hours',
    decimals: 2,
    ttl_seconds: 7_776_000,
    null_meaning: 'Point is outside every state and territory.',
    derivation: 'The standard offset of timezone, by the time zone rules of the runtime.',
    valid_range: [-12, 14],
    read: {
      dataset: 'computed',
      op: 'computed',
      function: 'utc_offset_standard_hours',
      from: { timezone: 'timezone' },
    },
    evidence: 'pure computation',
  },
  {
    name: 'is_daylight_saving_time_observed',
    description: 'Whether the point observes daylight saving time.',
    interpretation_hints: 'false in Hawaii, the territories and most of Arizona (true in the Navajo Nation).',
    type: 'boolean',
    ttl_seconds: 7_776_000,
    null_meaning: 'Point is outside every state and territory.',
    derivation:
      'Whether the offset of timezone differs between January and July, by the time zone rules of the runtime.',
    read: { dataset: 'computed', op: 'computed', function: 'observes_dst', from: { timezone: 'timezone' } },
    evidence: 'pure computation',
  },
])
