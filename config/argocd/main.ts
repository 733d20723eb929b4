import { writeConfigMap } from './config-map.ts';

writeConfigMap();
