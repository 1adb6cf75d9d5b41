const rows = [
  ['name', 'city', 'lat', 'lng'],
  ['Civic Center', 'Denver, CO', '39.7392', '-104.9903'],
  ['Lincoln Road', 'Miami Beach, FL', '25.7907', '-80.1300'],
  ['Town Hall', 'Paradise, CA', '39.7596', '-121.6219'],
  ['Broadway', 'Boulder, CO', '40.0150', '-105.2705'],
  ['Pike Place', 'Seattle, WA', '47.6097', '-122.3425'],
  ['The Alamo', 'San Antonio, TX', '29.4260', '-98.4861'],
  ['French Quarter', 'New Orleans, LA', '29.9584', '-90.0644'],
  ['Navy Pier', 'Chicago, IL', '41.8917', '-87.6043'],
  ['Fort Point', 'Boston, MA', '42.3505', '-71.0468'],
  ['Old Town', 'Albuquerque, NM', '35.0961', '-106.6700'],
  ['Bayfront', 'Hilo, HI', '19.7241', '-155.0868'],
  ['Ship Creek', 'Anchorage, AK', '61.2216', '-149.8870'],
]

/** Returns a sample file with a dozen locations across the US. */
export function createSampleFile(): File {
  const text = rows.map((row) => row.map((cell) => (cell.includes(',') ? `"${cell}"` : cell)).join(',')).join('\r\n')
  return new File([text], 'sample.csv', { type: 'text/csv' })
}
