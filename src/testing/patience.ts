import { jest } from '@jest/globals';

// A machine that is busy is not a defect.
jest.setTimeout(60_000);
