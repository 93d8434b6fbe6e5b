/** The page at `/`: the dashboard of editors and administrators. */
import { markReady } from './ready.ts'

markReady(document)
