/**
 * Ten places that are known well, and what the embedded layers say of them: the county, the time zone, the nearest public airport,
 * the nearest populated place (a section of a city counts), and metres to the ocean coast of OpenStreetMap where that is near.
 */
export const tenPlaces = [
  { name: 'Denver', at: { lat: 39.7392, lng: -104.9903 }, county: '08031', zone: 'America/Denver', airport: 'BJC', place: 'Denver', coast_m: null },
  { name: 'Miami Beach', at: { lat: 25.7907, lng: -80.13 }, county: '12086', zone: 'America/New_York', airport: 'MIA', place: 'Miami Beach', coast_m: 447 },
  { name: 'New Orleans', at: { lat: 29.9511, lng: -90.0715 }, county: '22071', zone: 'America/Chicago', airport: 'NEW', place: 'New Orleans', coast_m: 21_389 },
  { name: 'Anchorage', at: { lat: 61.2181, lng: -149.9003 }, county: '02020', zone: 'America/Anchorage', airport: 'MRI', place: 'Anchorage', coast_m: 311 },
  { name: 'Honolulu', at: { lat: 21.3069, lng: -157.8583 }, county: '15003', zone: 'Pacific/Honolulu', airport: 'HNL', place: 'Honolulu', coast_m: 615 },
  { name: 'San Juan', at: { lat: 18.4655, lng: -66.1057 }, county: '72127', zone: 'America/Puerto_Rico', airport: 'SIG', place: 'San Juan', coast_m: 89 },
  { name: 'Badwater', at: { lat: 36.2461, lng: -116.8185 }, county: '06027', zone: 'America/Los_Angeles', airport: 'L06', place: 'Beatty', coast_m: null },
  { name: 'Mount Whitney', at: { lat: 36.5786, lng: -118.292 }, county: '06027', zone: 'America/Los_Angeles', airport: 'O26', place: 'Lone Pine', coast_m: null },
  { name: 'Times Square', at: { lat: 40.758, lng: -73.9855 }, county: '36061', zone: 'America/New_York', airport: 'LGA', place: "Hell's Kitchen", coast_m: 1_342 },
  { name: 'Lake Michigan', at: { lat: 43.5, lng: -87 }, county: '26127', zone: 'America/Detroit', airport: 'C04', place: 'Shelby', coast_m: null },
]
