/** The page at `/docs`: the reference of the API. */
import { markReady } from './ready.ts'

markReady(document)
