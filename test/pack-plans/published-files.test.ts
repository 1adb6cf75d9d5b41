import { expect, test } from 'bun:test'
import { datasets } from '../../catalog/contents.ts'
import { fileAddressesOf, isClippedToArea, reasonAgainstFiles } from '../../src/pack-plans/published-files.ts'

const counties = {
  near: () => [
    { geoid: '34003', state: 'NJ', stateName: 'New Jersey' },
    { geoid: '34017', state: 'NJ', stateName: 'New Jersey' },
    { geoid: '36061', state: 'NY', stateName: 'New York' },
  ],
}

test('the addresses of files are those of the states and counties in or near the area, each once', () => {
  const addressesOf = (...files: string[]) => fileAddressesOf({ files }, [], counties)
  expect(addressesOf('https://a.gov/{ST}.zip')).toEqual(['https://a.gov/NJ.zip', 'https://a.gov/NY.zip'])
  expect(addressesOf('https://a.gov/{State}.zip', 'https://a.gov/us.zip')).toEqual([
    'https://a.gov/New_Jersey.zip',
    'https://a.gov/New_York.zip',
    'https://a.gov/us.zip',
  ])
  expect(addressesOf('https://a.gov/{state_fips}/{county_fips}.zip')).toEqual([
    'https://a.gov/34/34003.zip',
    'https://a.gov/34/34017.zip',
    'https://a.gov/36/36061.zip',
  ])
  expect(addressesOf('https://a.gov/{year}.zip')).toEqual(['https://a.gov/{year}.zip'])
})

test('files of states and large files are clipped to the area, unless the recipe needs all features or has several rasters', () => {
  const isClipped = (id: string, bytes: number) => isClippedToArea(datasets[id]!, bytes)
  expect([isClipped('usfws_nwi', 1_000), isClipped('usgs_wbd_huc12', 2e9)]).toEqual([true, true])
  expect([isClipped('usgs_wbd_huc12', 1_000), isClipped('noaa_spc_tornado', 2e9)]).toEqual([false, false])
  expect([isClipped('annual_nlcd_impervious', 2e9), isClipped('annual_nlcd_impervious', 1_000)]).toEqual([true, false])
  expect([isClipped('nhc_slosh_mom', 2e9), isClipped('openfema_nfip_csb', 2e9)]).toEqual([false, false])
})

test('a plan says why it copies a service although the publisher has files', () => {
  const reasonOf = (id: string) => reasonAgainstFiles(datasets[id]!)
  expect(reasonOf('fema_nfhl_zones')).toContain('contain a date that is not known')
  expect(reasonOf('usda_ssurgo_mapunit')).toContain('contain a date that is not known')
  expect(reasonOf('padus')).toContain('does not know how to build')
  // Built from files, copied from the files themselves, and without files.
  expect(['usfws_nwi', 'usgs_3dep', 'census_pep_county', 'usfws_cbrs'].map(reasonOf)).toEqual([null, null, null, null])
})
