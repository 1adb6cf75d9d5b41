import type { Dataset } from '../../src/catalog/records.ts'

export const openMeteo: Record<string, Dataset> = {
  open_meteo_air_quality: {
    service: 'open_meteo_air_quality',
    title: 'Open-Meteo air quality (CAMS)',
    publisher: 'Open-Meteo',
    license: 'CC BY 4.0; the free service is non-commercial only',
    attribution: 'Open-Meteo (CAMS), CC BY 4.0',
    source_url: 'https://open-meteo.com/en/docs/air-quality-api',
    coverage: { regions: ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'], note: 'world model' },
    vintage_note: 'Hourly model run',
    dated_by: { from: '$.current', text: '{time}' },
    confidence: { level: 'medium', reason: 'Computed by a weather model.' },
    ttl_seconds: 3_600,
    shape: 'document',
    budget_ms: 8_000,
    needs_key: null,
    serve: [
      {
        driver: 'rest',
        endpoint:
          'https://air-quality-api.open-meteo.com/v1/air-quality?latitude={lat}&longitude={lon}&current=us_aqi,pm2_5,pm10,ozone&timezone=UTC',
        expects: '$.current',
      },
    ],
    bulk: null,
  },
}
